import { afterNow } from '../clock.ts'
import { joined, sql, type Statement } from '../connection/statements.ts'
import type { OutboxKind } from './outbox.ts'
import type { Queue } from './queues.ts'

/** An outbox row that this worker has claimed, until its lease ends. */
export type ClaimedRow = {
  readonly id: number
  readonly kind: OutboxKind
  readonly targetId: string
  readonly companyId: string
  readonly queue: string
  readonly version: number
  readonly argument: number | null
  /** How often its work failed; for a first attempt also how often a worker took it on. */
  readonly tries: number
}

/** How many rows to take from a queue. */
export type QueueShare = Queue & { readonly rows: number }

export const targetsOf = (rows: readonly OutboxRow[]): string[] => rows.map(({ subject_id }) => subject_id)

/**
 * Chooses the rows by the index outbox_claim and locks them by their ids alone. Locking along the index would also lock, or
 * wait for, rows of the same queue that others have claimed. `in_temporal` is NULL where another transaction locks the
 * delivery, and where there is none.
 */
export const lockStatement = (shares: readonly QueueShare[]): Statement => sql`
  SELECT STRAIGHT_JOIN o.id, o.kind, o.subject_id, o.company_id, o.lane, o.version, o.argument, o.tries,
         d.in_temporal
    FROM (${joined(shares.map(candidates), ' UNION ALL ')}) c
    JOIN outbox o ON o.id = c.id
    LEFT JOIN deliveries d ON d.id = o.subject_id AND o.kind = 'start'
   WHERE o.available_at <= NOW(3)
   ORDER BY o.id
     FOR UPDATE SKIP LOCKED`

const candidates = ({ queue, companyId, rows }: QueueShare): Statement => sql`
  (SELECT id FROM outbox WHERE lane = ${queue} AND company_id = ${companyId} AND available_at <= NOW(3)
    ORDER BY available_at, id LIMIT ${rows})`

export const leaseStatement = (
  rows: readonly OutboxRow[],
  changes: Statement,
  owner: string,
  leaseMs: number,
): Statement => sql`
  UPDATE outbox SET ${changes}, lease_owner = ${owner}, available_at = ${afterNow(leaseMs)}
   WHERE id IN (${rows.map(({ id }) => id)})`

/** Lets nobody claim the rows before the pause is over. */
export const postponeStatement = (rows: readonly OutboxRow[], pauseMs: number): Statement => sql`
  UPDATE outbox SET lease_owner = NULL, available_at = ${afterNow(pauseMs)}
   WHERE id IN (${rows.map(({ id }) => id)})`

export const inTemporalStatement = (rows: readonly OutboxRow[]): Statement => sql`
  UPDATE deliveries SET in_temporal = 1 WHERE id IN (${targetsOf(rows)})`

/** A locked row, as the claim found it. */
export type OutboxRow = {
  id: number
  kind: OutboxKind
  subject_id: string
  company_id: string
  lane: string
  version: number
  argument: number | null
  tries: number
  /** Of the delivery of a `start` row; null for other kinds, and when that row is locked or gone. */
  in_temporal: number | null
}

export const toClaimedRow = (row: OutboxRow): ClaimedRow => ({
  id: row.id,
  kind: row.kind,
  targetId: row.subject_id,
  companyId: row.company_id,
  queue: row.lane,
  version: row.version,
  argument: row.argument,
  tries: row.tries,
})
