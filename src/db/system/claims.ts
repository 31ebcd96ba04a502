import { fromNow } from '../clock.js'
import type { Db } from '../connection/connection.js'
import { inTransaction } from '../connection/connection.js'
import type { OutboxKind } from '../outbox.js'
import type { Queue } from './queues.js'

/** An outbox row that this worker has claimed, until its lease ends. */
export type ClaimedRow = {
  readonly id: number
  readonly kind: OutboxKind
  readonly targetId: string
  readonly companyId: string
  readonly queue: string
  readonly version: number
  readonly argument: number | null
  readonly tries: number
}

/** How many rows to take from a queue. */
export type QueueShare = Queue & { readonly rows: number }

/** Claims up to the given rows of each queue, oldest first. */
export async function claimShares(
  db: Db,
  shares: readonly QueueShare[],
  owner: string,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  if (shares.length === 0) return []
  const candidates = (await db.union(
    shares.map(({ queue, companyId, rows }) =>
      db('outbox')
        .where({ lane: queue, company_id: companyId })
        .whereRaw('available_at <= NOW(3)')
        .orderBy(['available_at', 'id'])
        .limit(rows)
        .select('id'),
    ),
    true,
  )) as unknown as { id: number }[]
  const ids = candidates.map(({ id }) => id)
  return ids.length === 0 ? [] : inTransaction(db, (trx) => claimByIds(trx, ids, owner, leaseMs))
}

async function claimByIds(
  trx: Db,
  ids: readonly number[],
  owner: string,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  const rows = await trx('outbox')
    .whereIn('id', [...ids])
    .whereRaw('available_at <= NOW(3)')
    .orderBy('id')
    .forUpdate()
    .skipLocked()
    .select<OutboxRow[]>('id', 'kind', 'subject_id', 'company_id', 'lane', 'version', 'argument', 'tries')
  if (rows.length === 0) return []
  const claimed = rows.map(({ id }) => id)
  await trx('outbox')
    .whereIn('id', claimed)
    .update({ lease_owner: owner, available_at: fromNow(trx, leaseMs) })
  return rows.map(toClaimedRow)
}

type OutboxRow = {
  id: number
  kind: OutboxKind
  subject_id: string
  company_id: string
  lane: string
  version: number
  argument: number | null
  tries: number
}

const toClaimedRow = (row: OutboxRow): ClaimedRow => ({
  id: row.id,
  kind: row.kind,
  targetId: row.subject_id,
  companyId: row.company_id,
  queue: row.lane,
  version: row.version,
  argument: row.argument,
  tries: row.tries,
})
