import { findKey } from '../../db/key/keys.ts'
import { listKeyPage, listKeys, listKeysThatEnd, listReplacedKeys } from '../../db/key/lists.ts'
import { listDailyUsage, listDayCounts, findRecent } from '../../db/key/usage-rows.ts'
import type { Db } from '../../db/connection/connection.ts'
import { findCompany, listNames } from '../../db/companies.ts'
import { databaseNow } from '../../db/clock.ts'
import type { Deps } from '../../deps/deps.ts'
import { notFound, orNotFound } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import {
  keyState,
  type ApiKey,
  type FoundKey,
  type KeyState,
  matchesKeyFilter,
  type KeyFilter,
  type ApiKeyView,
  type NamedKey,
} from '../../domain/key/key.ts'
import {
  summariseUsage,
  usageSince,
  daysShown,
  NO_COUNTS,
  summariseRecentUse,
  type KeyRecentUse,
} from '../../domain/key/usage.ts'
import { cursorPage, listFingerprint, placeCursor, readPlaceCursor } from '../../domain/list-cursor.ts'
import type { CursorPage, CursorRequest } from '../../domain/pagination.ts'
import type { Company, Tenant } from '../../domain/tenant.ts'
import { requireCompany } from '../companies.ts'

/** The company's keys of both environments, newest first. @throws ApiError NOT_FOUND for an unknown company */
export async function listApiKeys({ db }: Deps, companyId: string): Promise<ApiKeyView[]> {
  await requireCompany({ db }, companyId)
  return view(db, await listKeys(db, companyId))
}

/**
 * A part of the tenant's keys, newest first. The filter applies to each part after it was read. So a part may hold fewer
 * keys than the limit, or none, although more follow.
 *
 * @throws ApiError VALIDATION_ERROR for a wrong cursor
 */
export async function listKeysByCursor(
  { db }: Deps,
  tenant: Tenant,
  { filter, ...request }: CursorRequest & { readonly filter: KeyFilter },
): Promise<CursorPage<NamedKey>> {
  const list = listFingerprint('keys', tenant.companyId, tenant.environment, filter)
  const before = readPlaceCursor(request, list, (id) => isId('apiKey', id))
  const found = await listKeyPage(db, tenant, { limit: request.limit + 1, before })
  const page = cursorPage(found, request.limit, ({ key }) => placeCursor(list, key))
  const matching = page.items.filter((item) => matchesKeyFilter(item.key, stateOf(item), filter))
  return { ...page, items: await withNames(db, tenant.companyId, await view(db, matching)) }
}

/**
 * The tenant's keys that work now and stop working within `withinMs`. The one that stops first comes first. A key whose
 * owner has left works no longer.
 */
export async function listExpiringKeys(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  withinMs: number,
  limit: number,
): Promise<NamedKey[]> {
  const found = await listKeysThatEnd(db, tenant, { withinMs, limit })
  const working = found.filter(({ hasOwnerLeft }) => !hasOwnerLeft)
  return withNames(db, tenant.companyId, await view(db, working))
}

/** One key of the tenant. @throws ApiError NOT_FOUND when the tenant has no such key */
export async function showKeyOfTenant(deps: Deps, tenant: Tenant, id: string): Promise<NamedKey> {
  const shown = await showApiKey(deps, tenant.companyId, id)
  if (shown.key.environment !== tenant.environment) throw notFound('API key')
  const [named] = await withNames(deps.db, tenant.companyId, [shown])
  return named ?? { ...shown, userName: null, replaces: null }
}

async function withNames(db: Db, companyId: string, views: readonly ApiKeyView[]): Promise<NamedKey[]> {
  const ids = views.map(({ key }) => key.userId).filter((id) => id !== null)
  const names = await listNames(db, 'users', companyId, [...new Set(ids)])
  const keyIds = views.map(({ key }) => key.id)
  const replaced = await listReplacedKeys(db, companyId, keyIds)
  return views.map((shown) => ({
    ...shown,
    userName: shown.key.userId === null ? null : (names.get(shown.key.userId) ?? null),
    replaces: replaced.get(shown.key.id) ?? null,
  }))
}

/** One key of the company. @throws ApiError NOT_FOUND when the company has no such key */
export async function showApiKey({ db }: Deps, companyId: string, id: string): Promise<ApiKeyView> {
  const found = isId('apiKey', id) ? await findKey(db, companyId, id) : undefined
  const [shown] = await view(db, found ? [found] : [])
  return orNotFound(shown, 'API key')
}

/** A key of the tenant with its company. @throws ApiError NOT_FOUND when the tenant has no such key */
export async function showKeyAndCompany(
  { db }: Deps,
  { companyId, environment }: Tenant,
  id: string,
): Promise<{ key: ApiKey; company: Company }> {
  const [found, company] = await Promise.all([findKey(db, companyId, id), findCompany(db, companyId)])
  if (found?.key.environment !== environment || !company) throw notFound('API key')
  return { key: found.key, company }
}

/** Reads what a key was used for. */
export async function showRecentUse(
  { db }: Pick<Deps, 'db'>,
  { id, companyId }: Pick<ApiKey, 'id' | 'companyId'>,
): Promise<KeyRecentUse> {
  const now = await databaseNow(db)
  const days = daysShown(now)
  const [counts, recent] = await Promise.all([
    listDayCounts(db, companyId, id, days[0] ?? ''),
    findRecent(db, companyId, id),
  ])
  return {
    ...summariseRecentUse(recent, now),
    daily: days.map((date) => ({ date, ...(counts.get(date) ?? NO_COUNTS) })),
  }
}

async function view(db: Db, found: readonly FoundKey[]): Promise<ApiKeyView[]> {
  const now = found[0]?.now
  if (!now) return []
  const ids = found.map(({ key }) => key.id)
  const usage = await listDailyUsage(db, ids, usageSince(now))
  return found.map((item) => ({
    key: item.key,
    state: stateOf(item),
    usage: summariseUsage(usage.get(item.key.id) ?? [], item.now),
  }))
}

/** The state of a key at `now`, the time of the database's clock when the key was read. */
export const stateOf = ({ key, hasOwnerLeft, now }: FoundKey): KeyState =>
  keyState({ ...key, hasOwnerLeft }, now)
