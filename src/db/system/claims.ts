import { FROM_NOW, toMicroseconds } from '../clock.js'
import type { Db } from '../connection/connection.js'
import { inBatchTransaction, placeholders, rowsOf, type Statement } from '../connection/statements.js'
import type { OutboxKind } from '../outbox.js'
import { gateStatement, toGateRowsById, type GateRows } from './gate-rows.js'
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

/** A claimed row, with the rows of its delivery; undefined when it is about none, or its delivery is gone. */
export type Claim = { readonly row: ClaimedRow; readonly delivery: GateRows | undefined }

/**
 * Claims up to the given rows of each queue, oldest first, in two round trips. Rows that another transaction locks are
 * left out. The deliveries are read together with the claim.
 */
export async function claimShares(
  batchDb: Db,
  shares: readonly QueueShare[],
  owner: string,
  leaseMs: number,
): Promise<Claim[]> {
  if (shares.length === 0) return []
  return inBatchTransaction(batchDb, async (trx) => {
    const [locked] = await trx.run([lockStatement(shares)])
    const rows = rowsOf<OutboxRow>(locked).map(toClaimedRow)
    if (rows.length === 0) return []
    const [, found] = await trx.commit([
      leaseStatement(
        rows.map(({ id }) => id),
        owner,
        leaseMs,
      ),
      gateStatement(rows.map(({ targetId }) => targetId)),
    ])
    const deliveries = toGateRowsById(found)
    return rows.map((row) => ({ row, delivery: deliveries.get(row.targetId) }))
  })
}

/**
 * Chooses the rows by the index outbox_claim and locks them by their ids alone. To lock them along the index would also
 * lock, or wait for, rows of the same queue that others have claimed.
 */
const lockStatement = (shares: readonly QueueShare[]): Statement => ({
  sql: `SELECT STRAIGHT_JOIN o.id, o.kind, o.subject_id, o.company_id, o.lane, o.version, o.argument, o.tries
     FROM (${shares.map(() => CANDIDATES).join(' UNION ALL ')}) c
     JOIN outbox o ON o.id = c.id
    WHERE o.available_at <= NOW(3)
    ORDER BY o.id
      FOR UPDATE SKIP LOCKED`,
  values: shares.flatMap(({ queue, companyId, rows }) => [queue, companyId, rows]),
})

const CANDIDATES = `(SELECT id FROM outbox WHERE lane = ? AND company_id = ? AND available_at <= NOW(3)
  ORDER BY available_at, id LIMIT ?)`

const leaseStatement = (ids: readonly number[], owner: string, leaseMs: number): Statement => ({
  sql: `UPDATE outbox SET lease_owner = ?, available_at = ${FROM_NOW}
         WHERE id IN (${placeholders(ids.length)})`,
  values: [owner, toMicroseconds(leaseMs), ...ids],
})

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
