import { dayKey, type DailyUsage } from '../../domain/key/usage.ts'
import type { Db } from '../connection/connection.ts'

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
