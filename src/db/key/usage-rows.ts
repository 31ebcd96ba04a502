import { dayKey, type DailyUsage, type KeyUsage } from '../../domain/key/usage.ts'
import { inTransaction, type Db, type SystemDb } from '../connection/connection.ts'
import { insertStatement, placeholders, readRows, runIn, type Statement } from '../connection/statements.ts'

/** Width of last_used_ip; a longer text is no address. */
const ADDRESS_LENGTH = 45

/**
 * Adds the counts, all or none: one update per key and one upsert for all days. It goes in key order, so that two
 * processes which write the same keys cannot deadlock.
 */
export async function addUsage(db: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  const ordered = [...usages].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
  if (ordered.length === 0) return
  await inTransaction(db, (trx) => runIn(trx)([...ordered.map(keyStatement), daysStatement(ordered)]))
}

/** The servers assign from left to right. The address comes first because it depends on the former last_used_at. */
const keyStatement = ({ keyId, latest, requestsByDay }: KeyUsage): Statement => ({
  sql: `UPDATE api_keys SET
          last_used_ip = IF(last_used_at IS NULL OR last_used_at <= ?, ?, last_used_ip),
          last_used_at = GREATEST(COALESCE(last_used_at, ?), ?),
          request_count = request_count + ?
        WHERE id = ?`,
  values: [
    ...[latest.at, latest.address.slice(0, ADDRESS_LENGTH), latest.at, latest.at],
    [...requestsByDay.values()].reduce((sum, count) => sum + count, 0),
    keyId,
  ],
})

const daysStatement = (usages: readonly KeyUsage[]): Statement =>
  insertStatement(
    'api_key_usage (key_id, day, requests)',
    '(?, ?, ?)',
    usages.flatMap(({ keyId, requestsByDay }) =>
      [...requestsByDay].sort().map(([day, requests]) => [keyId, day, requests]),
    ),
    'ON DUPLICATE KEY UPDATE requests = requests + VALUES(requests)',
  )

/** Daily counts by key id, from the UTC day `since` on; a key without requests is absent. */
export async function listDailyUsage(
  db: Db,
  keyIds: readonly string[],
  since: string,
): Promise<Map<string, DailyUsage[]>> {
  const rows = await readRows<{ key_id: string; day: Date; requests: number }>(db, {
    sql: `SELECT key_id, day, requests FROM api_key_usage
           WHERE key_id IN (${placeholders(keyIds.length)}) AND day >= ?`,
    values: [...keyIds, since],
  })
  const usageByKey = new Map<string, DailyUsage[]>()
  for (const { key_id: keyId, day, requests } of rows) {
    const daily = usageByKey.get(keyId) ?? []
    daily.push({ date: dayKey(day), requests })
    usageByKey.set(keyId, daily)
  }
  return usageByKey
}
