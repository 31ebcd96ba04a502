import { dayKey, type DailyUsage, type KeyUsage } from '../../domain/key/usage.ts'
import { inTransaction, type Db, type SystemDb } from '../connection/connection.ts'

/** Width of last_used_ip; a longer text is no address. */
const ADDRESS_LENGTH = 45

/**
 * Adds the counts, all or none: one update per key and one upsert for all days. It goes in key order, so that two
 * processes which write the same keys cannot deadlock.
 */
export async function addUsage(db: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  const ordered = [...usages].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
  if (ordered.length === 0) return
  await inTransaction(db, async (trx) => {
    for (const usage of ordered) await addToKey(trx, usage)
    await trx('api_key_usage')
      .insert(ordered.flatMap(dayRows))
      .onConflict(['key_id', 'day'])
      .merge({ requests: trx.raw('requests + VALUES(requests)') })
  })
}

/** The servers assign from left to right. The address comes first because it depends on the former last_used_at. */
async function addToKey(trx: SystemDb, { keyId, latest, requestsByDay }: KeyUsage): Promise<void> {
  const requests = [...requestsByDay.values()].reduce((sum, count) => sum + count, 0)
  await trx.raw(
    `UPDATE api_keys SET
       last_used_ip = IF(last_used_at IS NULL OR last_used_at <= ?, ?, last_used_ip),
       last_used_at = GREATEST(COALESCE(last_used_at, ?), ?),
       request_count = request_count + ?
     WHERE id = ?`,
    [latest.at, latest.address.slice(0, ADDRESS_LENGTH), latest.at, latest.at, requests, keyId],
  )
}

const dayRows = ({ keyId, requestsByDay }: KeyUsage) =>
  [...requestsByDay].sort().map(([day, requests]) => ({ key_id: keyId, day, requests }))

/** Daily counts by key id, from the UTC day `since` on; a key without requests is absent. */
export async function listDailyUsage(
  db: Db,
  keyIds: readonly string[],
  since: string,
): Promise<Map<string, DailyUsage[]>> {
  const rows = await db('api_key_usage')
    .whereIn('key_id', [...keyIds])
    .where('day', '>=', since)
    .select<{ key_id: string; day: Date; requests: number }[]>('key_id', 'day', 'requests')
  const usageByKey = new Map<string, DailyUsage[]>()
  for (const { key_id: keyId, day, requests } of rows) {
    const daily = usageByKey.get(keyId) ?? []
    daily.push({ date: dayKey(day), requests })
    usageByKey.set(keyId, daily)
  }
  return usageByKey
}
