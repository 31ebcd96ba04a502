import { setTimeout as delay } from 'node:timers/promises'
import { requireCompany, suspendCompany } from '../operations/companies.ts'
import { LONGEST_REQUEST_MS } from '../operations/cost-limits.ts'
import {
  countUnderWay,
  erasePeople,
  eraseRest,
  noteDeletion,
  type Erased,
} from '../operations/operator/erase-company.ts'
import { deleteWebhook } from '../operations/webhook/change.ts'
import { listOwnedWebhooks } from '../operations/webhook/read.ts'
import { ENVIRONMENTS } from '../domain/tenant.ts'
import type { CommandContext, Values } from './command.ts'
import { confirm } from './terminal.ts'

const LOOK_EVERY_MS = 500

/** The flag that replaces the question. */
export const YES = 'yes-delete-everything'

/**
 * Deletes a company with everything it has; erase-company.ts describes the steps. If it is cut off, call it again.
 *
 * @returns how many rows were deleted from each table
 * @throws ApiError NOT_FOUND; INVALID_REQUEST when the operator does not type the id; SERVICE_UNAVAILABLE when
 *   deliveries are under way and no worker lives
 */
export async function deleteCompany(context: CommandContext, id: string, values: Values): Promise<Erased> {
  const { deps, actor, progress } = context
  const { name } = await requireCompany(deps, id)
  await confirm(context, values, {
    what: `This deletes ${name} with its users, keys, webhooks, events, deliveries and records, for ever`,
    flag: YES,
    otherwise: 'Nothing was deleted.',
    answer: { text: id, named: 'its id' },
  })
  await suspendCompany(deps, actor, id)
  await noteDeletion(deps, actor, id)
  const show = (erased: Erased) => progress.show(describe(erased))
  const people = await erasePeople(deps, id, show)
  await untilRequestsEnded(context, id)
  await deleteWebhooks(context, id)
  await untilEnded(context, id)
  const rest = await eraseRest(deps, actor, id, show)
  progress.end()
  return { ...people, ...rest }
}

/** Requests that began before the suspension may still write. Waits until even the longest of them is over. */
async function untilRequestsEnded({ deps, actor, progress }: CommandContext, id: string): Promise<void> {
  const leftMs = async (): Promise<number> => {
    // Tells since when the company is suspended, and suspends it again if somebody has resumed it.
    const { suspendedAt } = await suspendCompany(deps, actor, id)
    return (suspendedAt?.getTime() ?? 0) + LONGEST_REQUEST_MS - deps.clock().getTime()
  }
  let left = await leftMs()
  if (left > 0) progress.print(`Requests that began before the suspension end within ${seconds(left)}.`)
  for (; left > 0; left = await leftMs()) {
    progress.show(`${seconds(left)} are left`)
    await delay(Math.min(left, LOOK_EVERY_MS))
  }
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`

async function deleteWebhooks({ deps, actor }: CommandContext, companyId: string): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const tenant = { companyId, environment }
    for (const { webhook } of await listOwnedWebhooks(deps, [tenant]))
      await deleteWebhook(deps, tenant, actor, webhook.id)
  }
}

async function untilEnded({ deps, progress }: CommandContext, id: string): Promise<void> {
  let webhooks = await countUnderWay(deps, id)
  if (webhooks > 0) progress.print(`The workers end the deliveries of ${webhooks} webhooks.`)
  for (; webhooks > 0; webhooks = await countUnderWay(deps, id)) {
    progress.show(`${webhooks} webhooks are left`)
    await delay(LOOK_EVERY_MS)
  }
}

const describe = (erased: Erased): string =>
  Object.entries(erased)
    .map(([table, rows]) => `${rows} ${table}`)
    .join(', ')
