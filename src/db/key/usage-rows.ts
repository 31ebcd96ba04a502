import {
  addRecentUse,
  type KeyUsage,
  type RecentUse,
  dayKey,
  type DailyUsage,
  type DayCounts,
} from '../../domain/key/usage.ts'
import { inTransaction, type Db, type SystemDb } from '../connection/connection.ts'
import { insertRows, addingUp, readRows, run, runIn, sql, type Statement } from '../connection/statements.ts'

/** The width of the column last_used_ip. A longer text is not an address. */
const ADDRESS_LENGTH = 45

/**
 * Adds all counts or none: one update for each key, one upsert for all days, and the recent use of each key. It works in
 * key order, so that two processes that write the same keys cannot deadlock.
 */
export async function addUsage(db: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  const ordered = [...usages].sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
  if (ordered.length === 0) return
  await inTransaction(db, async (trx) => {
    await runIn(trx)([...ordered.map(keyStatement), daysStatement(ordered)])
    await addRecent(trx, ordered)
  })
}

function keyStatement({ keyId, latest: { at, address }, days }: KeyUsage): Statement {
  const ip = address.slice(0, ADDRESS_LENGTH)
  const requests = [...days.values()].reduce((sum, day) => sum + day.requests, 0)
  // Columns are assigned from left to right. last_used_ip comes first, because it depends on the former last_used_at.
  return sql`
    UPDATE api_keys SET
      last_used_ip = IF(last_used_at IS NULL OR last_used_at <= ${at}, ${ip}, last_used_ip),
      last_used_at = GREATEST(COALESCE(last_used_at, ${at}), ${at}),
      request_count = request_count + ${requests}
     WHERE id = ${keyId}`
}

const daysStatement = (usages: readonly KeyUsage[]): Statement =>
  insertRows(
    'api_key_usage',
    usages.flatMap(({ keyId, days }) =>
      [...days]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([day, counts]) => ({
          key_id: keyId,
          day,
          requests: counts.requests,
          responses_2xx: counts.responses2xx,
          responses_4xx: counts.responses4xx,
          responses_5xx: counts.responses5xx,
        })),
    ),
    addingUp(['requests', 'responses_2xx', 'responses_4xx', 'responses_5xx']),
  )

/**
 * The counts of one of the company's keys by UTC day (`YYYY-MM-DD`), from the day `since` on. Days without requests are
 * absent.
 */
export async function listDayCounts(
  db: Db,
  companyId: string,
  keyId: string,
  since: string,
): Promise<Map<string, DayCounts>> {
  const rows = await readRows<{ day: Date } & Record<string, number>>(db)`
    SELECT day, requests, responses_2xx AS responses2xx, responses_4xx AS responses4xx,
           responses_5xx AS responses5xx
      FROM api_key_usage JOIN api_keys ON id = key_id
     WHERE key_id = ${keyId} AND company_id = ${companyId} AND day >= ${since}`
  return new Map(rows.map(({ day, ...counts }) => [dayKey(day), counts as DayCounts]))
}

/** Daily counts by key id, from the UTC day `since` on. Keys without requests are absent. */
export async function listDailyUsage(
  db: Db,
  keyIds: readonly string[],
  since: string,
): Promise<Map<string, DailyUsage[]>> {
  const rows = await readRows<{ key_id: string; day: Date; requests: number }>(db)`
    SELECT key_id, day, requests FROM api_key_usage
     WHERE key_id IN (${keyIds}) AND day >= ${since}`
  const daily = ({ day, requests }: (typeof rows)[number]) => ({ date: dayKey(day), requests })
  const byKey = Map.groupBy(rows, ({ key_id }) => key_id)
  return new Map([...byKey].map(([keyId, days]) => [keyId, days.map(daily)]))
}

/** How many keys one statement handles. A row has at most about 4 KB. */
const PAGE = 200

/**
 * Adds recent use to the stored recent use, with two statements for each page of keys. The transaction must have
 * updated the rows of these keys before. The locks on these rows keep other processes from reading what this process is
 * about to change. Keys that no longer exist are skipped.
 */
async function addRecent(trx: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  for (let from = 0; from < usages.length; from += PAGE) await addPage(trx, usages.slice(from, from + PAGE))
}

async function addPage(trx: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  const stored = await readRows<{ id: string; recent: string | null }>(trx)`
    SELECT k.id, r.recent FROM api_keys k LEFT JOIN api_key_recent r ON r.key_id = k.id
     WHERE k.id IN (${usages.map(({ keyId }) => keyId)})`
  const recentOf = new Map(stored.map(({ id, recent }) => [id, recent]))
  const rows = usages.flatMap(({ keyId, latest, recent }) => {
    const former = recentOf.get(keyId)
    if (former === undefined) return []
    const sum = addRecentUse(former === null ? noUse() : parseUse(former), recent)
    return [{ key_id: keyId, day: dayKey(latest.at), recent: textOf(sum) }]
  })
  if (rows.length === 0) return
  const ending = sql`ON DUPLICATE KEY UPDATE day = GREATEST(day, VALUES(day)), recent = VALUES(recent)`
  await run(trx, insertRows('api_key_recent', rows, ending))
}

/** The recent use of one of the company's keys; undefined if the key has none. */
export async function findRecent(db: Db, companyId: string, keyId: string): Promise<RecentUse | undefined> {
  const [row] = await readRows<{ recent: string }>(db)`
    SELECT recent FROM api_key_recent JOIN api_keys ON id = key_id
     WHERE key_id = ${keyId} AND company_id = ${companyId}`
  return row && parseUse(row.recent)
}

const noUse = (): RecentUse => ({ endpoints: new Map(), addresses: new Map(), minutes: new Map() })

const textOf = ({ endpoints, addresses, minutes }: RecentUse): string =>
  JSON.stringify({
    endpoints: Object.fromEntries(endpoints),
    addresses: Object.fromEntries(addresses),
    minutes: Object.fromEntries(minutes),
  })

function parseUse(text: string): RecentUse {
  const stored = JSON.parse(text) as Record<keyof RecentUse, Record<string, number>>
  return {
    endpoints: new Map(Object.entries(stored.endpoints)),
    addresses: new Map(Object.entries(stored.addresses)),
    minutes: new Map(Object.entries(stored.minutes)),
  }
}
