import { insertAudit, listAudit, type WrittenEntry } from '../db/audit.ts'
import type { Db } from '../db/connection/connection.ts'
import type { Actor } from '../domain/actor.ts'
import type { Tenant } from '../domain/tenant.ts'
import { listNames } from '../db/companies.ts'
import { isId } from '../domain/ids.ts'
import { cursorPage, listCursor, readMoment, readPlace } from '../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../domain/pagination.ts'
import type { Deps } from '../deps/deps.ts'
import { requireCompany } from './companies.ts'

/** Writes the audit row of a change in that change's transaction. */
export const auditAs =
  ({ companyId }: Pick<Tenant, 'companyId'>, actor: Actor) =>
  (trx: Db, action: string, targetId: string, at: Date, details = {}): Promise<void> =>
    insertAudit(trx, { companyId, at, actor, action, targetId, details })

/**
 * The audit of a company, newest first; also of one that was deleted.
 *
 * @param targetId only what was done to this key, webhook or user
 * @throws ApiError NOT_FOUND without the company, VALIDATION_ERROR for a wrong cursor
 */
export async function listAuditEntries(
  { db }: Deps,
  companyId: string,
  request: CursorRequest,
  targetId?: string,
): Promise<CursorPage<WrittenEntry>> {
  const before = readPlace(request, 2, ([moment, text]) => {
    const [at, number] = [readMoment(moment), Number(text)]
    return at && Number.isSafeInteger(number) ? { at, number } : undefined
  })
  const rows = await listAudit(db, companyId, { limit: request.limit + 1, before, targetId })
  if (rows.length === 0) await requireCompany({ db }, companyId)
  return cursorPage(rows, request.limit, ({ at, number }) => listCursor(at.toISOString(), String(number)))
}

/** An entry with the name of the user or of the key that made the change; null for every other actor. */
export type NamedEntry = WrittenEntry & { readonly actorName: string | null }

/** As listAuditEntries, with the names of the actors. */
export async function listHistory(
  deps: Deps,
  companyId: string,
  request: CursorRequest,
  targetId?: string,
): Promise<CursorPage<NamedEntry>> {
  const page = await listAuditEntries(deps, companyId, request, targetId)
  const names = await listActorNames(
    deps,
    companyId,
    page.items.map(({ actor }) => actor.id),
  )
  return {
    ...page,
    items: page.items.map((entry) => ({ ...entry, actorName: names.get(entry.actor.id) ?? null })),
  }
}

/** The names of the users and keys among the actors of a company, by their ids. Other actors have none. */
export async function listActorNames(
  { db }: Pick<Deps, 'db'>,
  companyId: string,
  actorIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(actorIds)]
  const users = ids.filter((id) => isId('user', id))
  const keys = ids.filter((id) => isId('apiKey', id))
  return new Map([
    ...(await listNames(db, 'users', companyId, users)),
    ...(await listNames(db, 'api_keys', companyId, keys)),
  ])
}
