import { databaseNow } from '../../db/clock.ts'
import { findRecent, listDayCounts } from '../../db/key/usage-rows.ts'
import type { Deps } from '../../deps/deps.ts'
import type { ApiKey } from '../../domain/key/key.ts'
import { summariseRecentUse, type KeyRecentUse } from '../../domain/key/recent-use.ts'
import { daysShown, NO_COUNTS } from '../../domain/key/usage.ts'

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
