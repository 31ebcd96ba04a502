import { findKey, listKeys } from '../../db/key/keys.js'
import { listDailyUsage } from '../../db/key/usage.js'
import type { Db } from '../../db/connection/connection.js'
import { notFound } from '../../domain/errors.js'
import { isId } from '../../domain/ids.js'
import { keyState, type ApiKey, type FoundKey, type KeyState } from '../../domain/key/key.js'
import { summariseUsage, usageSince, type UsageSummary } from '../../domain/key/usage.js'
import type { Deps } from '../../process/deps.js'
import { requireCompany } from '../companies.js'

/** A key with its state and its usage. Each read computes both again. */
export type ApiKeyView = { readonly key: ApiKey; readonly state: KeyState; readonly usage: UsageSummary }

/** The company's keys of both environments, newest first. @throws ApiError NOT_FOUND without the company */
export async function listApiKeys({ db }: Deps, companyId: string): Promise<ApiKeyView[]> {
  await requireCompany({ db }, companyId)
  return view(db, await listKeys(db, companyId))
}

/** One key of the company. @throws ApiError NOT_FOUND when the company has no such key */
export async function showApiKey({ db }: Deps, companyId: string, id: string): Promise<ApiKeyView> {
  const found = isId('apiKey', id) ? await findKey(db, companyId, id) : undefined
  const [shown] = await view(db, found ? [found] : [])
  if (!shown) throw notFound('API key')
  return shown
}

async function view(db: Db, found: readonly FoundKey[]): Promise<ApiKeyView[]> {
  const now = found[0]?.now
  if (!now) return []
  const usage = await listDailyUsage(
    db,
    found.map(({ key }) => key.id),
    usageSince(now),
  )
  return found.map((item) => ({
    key: item.key,
    state: stateOf(item),
    usage: summariseUsage(usage.get(item.key.id) ?? [], item.now),
  }))
}

/** The state of a key at the moment when the database read it, by the database's clock. */
export const stateOf = ({ key, hasOwnerLeft, now }: FoundKey): KeyState =>
  keyState({ ...key, hasOwnerLeft }, now)
