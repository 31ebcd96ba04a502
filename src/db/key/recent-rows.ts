import { addRecentUse, type KeyUsage, type RecentUse } from '../../domain/key/recent-use.ts'
import { dayKey } from '../../domain/key/usage.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { insertStatement, placeholders, readRows, run } from '../connection/statements.ts'

/** Keys per statement. A row has at most some 4 KB. */
const PAGE = 200

/**
 * Adds recent use to what is stored, two statements for each page of keys. The transaction must have updated the rows of
 * these keys before: their locks keep other processes from reading what this one is about to change. Keys that are gone
 * get no row.
 */
export async function addRecent(trx: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  for (let from = 0; from < usages.length; from += PAGE) await addPage(trx, usages.slice(from, from + PAGE))
}

async function addPage(trx: SystemDb, usages: readonly KeyUsage[]): Promise<void> {
  const stored = await readRows<{ id: string; recent: string | null }>(trx, {
    sql: `SELECT k.id, r.recent FROM api_keys k LEFT JOIN api_key_recent r ON r.key_id = k.id
           WHERE k.id IN (${placeholders(usages.length)})`,
    values: usages.map(({ keyId }) => keyId),
  })
  const recentOf = new Map(stored.map(({ id, recent }) => [id, recent]))
  const rows = usages.flatMap(({ keyId, latest, recent }) => {
    const former = recentOf.get(keyId)
    if (former === undefined) return []
    const sum = addRecentUse(former === null ? noUse() : read(former), recent)
    return [[keyId, dayKey(latest.at), written(sum)]]
  })
  if (rows.length === 0) return
  const ending = 'ON DUPLICATE KEY UPDATE day = GREATEST(day, VALUES(day)), recent = VALUES(recent)'
  await run(trx, insertStatement('api_key_recent (key_id, day, recent)', '(?, ?, ?)', rows, ending))
}

/** The recent use of a key of the company; undefined if it has none. */
export async function findRecent(db: Db, companyId: string, keyId: string): Promise<RecentUse | undefined> {
  const [row] = await readRows<{ recent: string }>(db, {
    sql: 'SELECT recent FROM api_key_recent JOIN api_keys ON id = key_id WHERE key_id = ? AND company_id = ?',
    values: [keyId, companyId],
  })
  return row && read(row.recent)
}

const noUse = (): RecentUse => ({ endpoints: new Map(), addresses: new Map(), minutes: new Map() })

const written = ({ endpoints, addresses, minutes }: RecentUse): string =>
  JSON.stringify({
    endpoints: Object.fromEntries(endpoints),
    addresses: Object.fromEntries(addresses),
    minutes: Object.fromEntries(minutes),
  })

function read(text: string): RecentUse {
  const stored = JSON.parse(text) as Record<keyof RecentUse, Record<string, number>>
  return {
    endpoints: new Map(Object.entries(stored.endpoints)),
    addresses: new Map(Object.entries(stored.addresses)),
    minutes: new Map(Object.entries(stored.minutes)),
  }
}
