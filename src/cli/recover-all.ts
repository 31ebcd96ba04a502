import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../domain/errors.ts'
import { isOpenRecovery, type Recovery } from '../domain/recovery/recovery.ts'
import type { Tenant } from '../domain/tenant.ts'
import { eachFailedWebhook, type OwnedWebhook } from '../operations/operator/across-companies.ts'
import { getRecovery } from '../operations/recovery/read.ts'
import { startRecovery } from '../operations/recovery/change.ts'
import type { CommandContext } from './command.ts'
import { progressBar } from './terminal.ts'

/** A recovery and the tenant that it belongs to. */
type OwnedRecovery = { readonly tenant: Tenant; readonly recovery: Recovery }

type Wanted = {
  readonly since: Date
  readonly companyId: string | undefined
  /** How many recoveries run at once. */
  readonly atOnce: number
  /** Whether to begin recoveries also where the circuit breaker of the endpoint is open. */
  readonly force: boolean
}

const LOOK_EVERY_MS = 500

/**
 * Starts a recovery for every active webhook with failed deliveries that were created at `since` or later. Only a few
 * run at once, so that workers have room for new events. It skips a webhook that already has a recovery. Without
 * `force` it also skips a webhook whose circuit breaker is open.
 *
 * @returns the recoveries that it started, in the order in which they ended
 */
export async function recoverAll(context: CommandContext, wanted: Wanted): Promise<OwnedRecovery[]> {
  const ended: OwnedRecovery[] = []
  let running: OwnedRecovery[] = []
  /** Reads the running recoveries again. @returns how many still run */
  const look = async (): Promise<number> => {
    const read = await Promise.all(running.map((owned) => readAgain(context, owned)))
    ended.push(...read.filter(({ recovery }) => !isOpenRecovery(recovery)))
    running = read.filter(({ recovery }) => isOpenRecovery(recovery))
    context.progress.show(`${ended.length} webhooks are done, ${running.length} go on`)
    return running.length
  }
  const untilRunning = async (most: number): Promise<void> => {
    while ((await look()) > most) await delay(LOOK_EVERY_MS)
  }
  for await (const webhook of eachFailedWebhook(context.deps, wanted.since, wanted.companyId)) {
    await untilRunning(wanted.atOnce - 1)
    const started = await startUnlessRefused(context, webhook, wanted)
    if (started) running.push(started)
  }
  await untilRunning(0)
  context.progress.end()
  return ended
}

async function readAgain(
  { deps }: CommandContext,
  { tenant, recovery }: OwnedRecovery,
): Promise<OwnedRecovery> {
  try {
    return { tenant, recovery: await getRecovery(deps, tenant, recovery.webhookId, recovery.id) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
    return { tenant, recovery: { ...recovery, state: 'cancelled', stoppedReason: 'webhook_deleted' } }
  }
}

async function startUnlessRefused(
  { deps, actor }: CommandContext,
  { tenant, webhookId }: OwnedWebhook,
  { since, force }: Wanted,
): Promise<OwnedRecovery | undefined> {
  try {
    const recovery = await startRecovery(deps, tenant, actor, webhookId, { kind: 'failed', since, force })
    return { tenant, recovery }
  } catch (error) {
    if (error instanceof ApiError && ['CONFLICT', 'NOT_FOUND'].includes(error.code)) return undefined
    throw error
  }
}

/** Waits until a recovery is over, and shows how far it has come. @returns the ended recovery */
export async function waitForEnd(
  { deps, progress }: CommandContext,
  tenant: Tenant,
  { webhookId, id }: Recovery,
): Promise<Recovery> {
  for (;;) {
    const recovery = await getRecovery(deps, tenant, webhookId, id)
    const isQueued = recovery.state === 'queued'
    progress.show(isQueued ? 'it waits for its turn' : progressBar(recovery.queued, recovery.total))
    if (!isOpenRecovery(recovery)) {
      progress.end()
      return recovery
    }
    await delay(LOOK_EVERY_MS)
  }
}
