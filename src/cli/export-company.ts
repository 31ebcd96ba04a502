import { open } from 'node:fs/promises'
import { FIRST_PART } from '../domain/event/copy-cursor.ts'
import { RESOURCE_FAMILIES } from '../domain/event/resources.ts'
import type { CursorPage, CursorRequest } from '../domain/pagination.ts'
import { ENVIRONMENTS, type Tenant } from '../domain/tenant.ts'
import type { Actor } from '../domain/actor.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { auditAs, listAudit } from '../operations/audit.ts'
import { requireCompany } from '../operations/companies.ts'
import { listOverviews } from '../operations/delivery/overview.ts'
import { listEvents } from '../operations/event/read.ts'
import { listApiKeys } from '../operations/key/read.ts'
import { listNotices } from '../operations/notice/read.ts'
import { copyResources } from '../operations/resource/read.ts'
import { listUsers } from '../operations/user/members.ts'
import { listOwnedWebhooks } from '../operations/webhook/read.ts'
import { presentApiKey } from '../presenters/api-keys.ts'
import { presentAuditEntry } from '../presenters/audit.ts'
import { presentListedEvent, presentListedResource } from '../presenters/events.ts'
import { presentOwnedNotice } from '../presenters/notices.ts'
import {
  presentCompany,
  presentMember,
  presentOverview,
  presentOwnedWebhook,
} from '../presenters/operator.ts'
import { toJson } from '../presenters/stored-json.ts'
import { UsageError } from './command.ts'

/** How many rows are in memory at once. An event may have 256 KiB, so a page has 25 MiB at most. */
const PAGE = 100

type Line = { readonly type: string; readonly environment?: string; readonly record: unknown }

/** The last line: a file without it is not complete. */
type End = { readonly type: 'end'; readonly counts: Readonly<Record<string, number>> }

/**
 * Writes to a file all that a company has. Each line is a JSON document:
 * `{"type": "event", "environment": "live", "record": …}`. The records look as in lists. The file contains no secret,
 * hash, password or value of a custom header. The last line has the counts. The audit says who exported.
 *
 * @param file a new file, which only its owner may read
 * @returns how many records of each type
 * @throws UsageError when the file exists or cannot be made; a database error, which leaves an incomplete file
 */
export async function exportCompany(
  deps: SystemDeps,
  actor: Actor,
  companyId: string,
  file: string,
  onLines: (lines: number) => void,
): Promise<Record<string, number>> {
  const company = await requireCompany(deps, companyId)
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException
    throw new UsageError(`--to: the file cannot be made (${code}).`, { cause: error })
  })
  const counts: Record<string, number> = {}
  let lines = 0
  try {
    await auditAs({ companyId }, actor)(deps.db, 'company.export', companyId, deps.clock())
    await handle.appendFile(toLine({ type: 'company', record: presentCompany(company) }))
    for await (const line of linesOf(deps, companyId)) {
      await handle.appendFile(toLine(line))
      counts[line.type] = (counts[line.type] ?? 0) + 1
      onLines(++lines)
    }
    await handle.appendFile(toLine({ type: 'end', counts }))
    await handle.sync()
  } finally {
    await handle.close()
  }
  return counts
}

const toLine = (line: Line | End): Buffer => Buffer.concat([toJson(line), Buffer.from('\n')])

async function* linesOf(deps: SystemDeps, companyId: string): AsyncGenerator<Line> {
  yield* linesFrom('user', (part) => listUsers(deps, companyId, part), presentMember)
  for (const { key, state, usage } of await listApiKeys(deps, companyId))
    yield { type: 'key', record: presentApiKey(key, state, usage) }
  for (const environment of ENVIRONMENTS) {
    for await (const line of linesOfTenant(deps, { companyId, environment })) yield { ...line, environment }
  }
  yield* linesFrom('audit', (part) => listAudit(deps, companyId, part), presentAuditEntry)
}

async function* linesOfTenant(deps: SystemDeps, tenant: Tenant): AsyncGenerator<Line> {
  for (const webhook of await listOwnedWebhooks(deps, [tenant]))
    yield { type: 'webhook', record: presentOwnedWebhook(webhook) }
  for (const [family, description] of Object.entries(RESOURCE_FAMILIES)) {
    const copy = ({ limit, cursor = FIRST_PART }: CursorRequest) =>
      copyResources(deps, tenant, description, { limit, cursor })
    yield* linesFrom(family, copy, presentListedResource)
  }
  const all = { filter: {}, withPayload: true }
  yield* linesFrom('event', (part) => listEvents(deps, tenant, { ...part, ...all }), presentListedEvent)
  const bare = { filter: {}, withPayload: false }
  const scope = { tenants: [tenant] }
  yield* linesFrom('delivery', (part) => listOverviews(deps, scope, { ...part, ...bare }), presentOverview)
  const notices = (part: CursorRequest) => listNotices(deps, [tenant], { ...part, filter: {} })
  yield* linesFrom('notice', notices, presentOwnedNotice)
}

/** A line for each record of a list that is read in parts. */
async function* linesFrom<T>(
  type: string,
  list: (part: CursorRequest) => Promise<CursorPage<T>>,
  present: (record: T) => unknown,
): AsyncGenerator<Line> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: CursorPage<T> = await list({ limit: PAGE, cursor: cursor ?? undefined })
    for (const record of page.items) yield { type, record: present(record) }
    cursor = page.nextCursor
  }
}
