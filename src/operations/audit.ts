import { findAudit, insertAudit } from '../db/audit.ts'
import type { Db } from '../db/connection/connection.ts'
import type { Actor } from '../domain/actor.ts'
import type { AuditAction } from '../domain/audit/actions.ts'
import type { AuditFilter, AuditRecord } from '../domain/audit/entry.ts'
import type { Tenant } from '../domain/tenant.ts'
import { listNames, type NamedTable } from '../db/companies.ts'
import { isId, type Entity } from '../domain/ids.ts'
import { listCursor, listFingerprint, readMoment, readPlace } from '../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../domain/pagination.ts'
import type { Deps } from '../deps/deps.ts'
import { requireCompany } from './companies.ts'

/** Writes the audit row of a change, in the transaction of the change. */
export const auditAs =
  ({ companyId }: Pick<Tenant, 'companyId'>, actor: Actor) =>
  (trx: Db, action: AuditAction, targetId: string, at: Date, details = {}): Promise<void> =>
    insertAudit(trx, { companyId, at, actor, action, targetId, details })

/**
 * Lists a part of a company's audit, newest first. The company may be deleted. With a filter a part may have fewer
 * entries than the limit although the list goes on.
 *
 * @throws ApiError NOT_FOUND for an unknown company, VALIDATION_ERROR for a cursor of another filter
 */
export async function listAudit(
  { db }: Pick<Deps, 'db'>,
  companyId: string,
  { limit, filter = {}, ...request }: CursorRequest & { readonly filter?: AuditFilter },
): Promise<CursorPage<AuditRecord>> {
  const { actor, action, target, createdAfter, createdBefore } = filter
  const list = listFingerprint('audit', companyId, actor, action, target, createdAfter, createdBefore)
  const before = readPlace({ limit, ...request }, 3, ([ofList, moment, text]) => {
    const [at, number] = [readMoment(moment), Number(text)]
    return ofList === list && at && Number.isSafeInteger(number) ? { at, number } : undefined
  })
  const { entries, next } = await findAudit(db, companyId, filter, { limit, before })
  if (entries.length === 0 && next === undefined) await requireCompany({ db }, companyId)
  const ids = entries.flatMap((entry) => [entry.actor.id, entry.targetId])
  const names = await listNamesOf({ db }, companyId, ids)
  return {
    items: entries.map((entry) => ({
      ...entry,
      actorName: names.get(entry.actor.id) ?? null,
      targetName: names.get(entry.targetId) ?? null,
    })),
    limit,
    nextCursor: next ? listCursor(list, next.at.toISOString(), String(next.number)) : null,
  }
}

const NAMED: readonly (readonly [Entity, NamedTable])[] = [
  ['user', 'users'],
  ['apiKey', 'api_keys'],
  ['webhook', 'webhooks'],
  ['noticeChannel', 'notice_channels'],
]

/** Maps ids of users, keys, webhooks and channels of the company to their names. Other ids are left out. */
export async function listNamesOf(
  { db }: Pick<Deps, 'db'>,
  companyId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const distinct = [...new Set(ids)]
  for (const [entity, table] of NAMED) {
    const wanted = distinct.filter((id) => isId(entity, id))
    if (wanted.length === 0) continue
    for (const [id, name] of await listNames(db, table, companyId, wanted)) found.set(id, name)
  }
  return found
}

/** How many entries an export reads at once. */
const EXPORT_PART = 100

/**
 * All entries that match a filter, part by part. A part is read when the caller asks for it, so a caller that stops
 * costs nothing more. Entries that are written during the export are newer than its first part, so no part has them.
 *
 * @param within runs the read of each part, for example under the limits of a cost class
 * @throws ApiError as listAudit
 */
export async function* auditParts(
  deps: Pick<Deps, 'db'>,
  companyId: string,
  filter: AuditFilter,
  within: <T>(read: () => Promise<T>) => Promise<T> = (read) => read(),
): AsyncGenerator<readonly AuditRecord[]> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const part = { limit: EXPORT_PART, cursor, filter }
    const page: CursorPage<AuditRecord> = await within(() => listAudit(deps, companyId, part))
    yield page.items
    cursor = page.nextCursor
  }
}
