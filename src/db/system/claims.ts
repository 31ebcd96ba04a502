import { FROM_NOW, toMicroseconds } from '../clock.js'
import type { Db } from '../connection/connection.js'
import {
  inBatchTransaction,
  placeholders,
  rowsOf,
  run,
  type Statement,
  type StatementResult,
} from '../connection/statements.js'
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
  /** How often its work failed; for a first attempt also how often a worker took it on. */
  readonly tries: number
}

/** How many rows to take from a queue. */
export type QueueShare = Queue & { readonly rows: number }

/** A claimed row, with the rows of its delivery; undefined when it is about none, or its delivery is gone. */
export type Claim = {
  readonly row: ClaimedRow
  readonly delivery: GateRows | undefined
  /** Whether this worker shall make the first attempt itself. Nobody else makes one until the lease ends. */
  readonly isDirect: boolean
}

/** Who claims, and for how long. */
export type Claimant = {
  readonly owner: string
  readonly leaseMs: number
  /** Whether this worker makes so many first attempts itself, rather than their workflows. */
  readonly takesDirectly: (firstAttempts: number) => boolean
}

/** A `start` row that was claimed so often without a record goes to a workflow: its attempt may be what kills workers. */
const DIRECT_TRIES = 2
/** Pause of a first attempt whose delivery another transaction locks. */
const HELD_PAUSE_MS = 50
/** Events up to this size are read with the claim of a direct attempt; larger ones when the attempt needs them. */
const CLAIMED_BODY_BYTES = 16_384

/**
 * Claims up to the given rows of each queue, oldest first, in two round trips. Rows that another transaction locks are
 * left out. The deliveries are read together with the claim.
 *
 * A first attempt locks its delivery too. So `in_temporal` is decided here once and for all: either a worker makes the
 * attempt, or a workflow may exist from this commit on.
 */
export async function claimShares(
  batchDb: Db,
  shares: readonly QueueShare[],
  claimant: Claimant,
): Promise<Claim[]> {
  if (shares.length === 0) return []
  const claims = await inBatchTransaction(batchDb, async (trx) => {
    const [locked] = await trx.run([lockStatement(shares)])
    const rows = rowsOf<OutboxRow>(locked)
    if (rows.length === 0) return []
    const plan = planClaim(rows, claimant)
    const statements = leaseStatements(plan, claimant)
    const reads = [
      gateStatement(targetsOf(plan.direct), { bodyUpTo: CLAIMED_BODY_BYTES }),
      gateStatement(targetsOf(plan.others)),
    ]
    const results = await trx.commit([...statements, ...reads])
    return toClaims(plan, results.slice(statements.length))
  })
  const held = claims.filter(isHeld)
  if (held.length > 0) await run(batchDb, pauseStatement(held))
  return claims.filter((claim) => !isHeld(claim))
}

/** Which of the locked rows are first attempts that this worker makes itself. */
type ClaimPlan = { readonly direct: readonly OutboxRow[]; readonly others: readonly OutboxRow[] }

function planClaim(rows: readonly OutboxRow[], { takesDirectly }: Claimant): ClaimPlan {
  const isNew = ({ kind, in_temporal, tries }: OutboxRow) =>
    kind === 'start' && in_temporal === 0 && tries < DIRECT_TRIES
  const firstAttempts = rows.filter(isNew)
  if (firstAttempts.length === 0 || !takesDirectly(firstAttempts.length)) return { direct: [], others: rows }
  return { direct: firstAttempts, others: rows.filter((row) => !isNew(row)) }
}

/** The statements that write the claim. */
function leaseStatements({ direct, others }: ClaimPlan, { owner, leaseMs }: Claimant): Statement[] {
  const toWorkflow = others.filter(({ kind, in_temporal }) => kind === 'start' && in_temporal === 0)
  return [
    ...(direct.length > 0
      ? [leaseStatement(direct, 'is_direct = 1, tries = tries + 1', owner, leaseMs)]
      : []),
    ...(others.length > 0 ? [leaseStatement(others, 'is_direct = 0', owner, leaseMs)] : []),
    ...(toWorkflow.length > 0 ? [inTemporalStatement(toWorkflow)] : []),
  ]
}

function toClaims({ direct, others }: ClaimPlan, reads: readonly StatementResult[]): LockedClaim[] {
  const deliveries = new Map(reads.flatMap((read) => [...toGateRowsById(read)]))
  const claim = (row: OutboxRow, isDirect: boolean): LockedClaim => ({
    row: toClaimedRow(row),
    delivery: deliveries.get(row.subject_id),
    isDirect,
    hasLockedDelivery: row.in_temporal !== null,
  })
  return [...direct.map((row) => claim(row, true)), ...others.map((row) => claim(row, false))]
}

type LockedClaim = Claim & { readonly hasLockedDelivery: boolean }

/** A first attempt whose delivery is there, and locked by another transaction: nobody can tell yet who may make it. */
const isHeld = ({ row, delivery, hasLockedDelivery }: LockedClaim): boolean =>
  row.kind === 'start' && delivery !== undefined && !hasLockedDelivery

const targetsOf = (rows: readonly OutboxRow[]): string[] => rows.map(({ subject_id }) => subject_id)

/**
 * Chooses the rows by the index outbox_claim and locks them by their ids alone. To lock them along the index would also
 * lock, or wait for, rows of the same queue that others have claimed. A delivery that another transaction locks comes
 * as NULL, as one that does not exist.
 */
const lockStatement = (shares: readonly QueueShare[]): Statement => ({
  sql: `SELECT STRAIGHT_JOIN o.id, o.kind, o.subject_id, o.company_id, o.lane, o.version, o.argument, o.tries,
          d.in_temporal
     FROM (${shares.map(() => CANDIDATES).join(' UNION ALL ')}) c
     JOIN outbox o ON o.id = c.id
     LEFT JOIN deliveries d ON d.id = o.subject_id AND o.kind = 'start'
    WHERE o.available_at <= NOW(3)
    ORDER BY o.id
      FOR UPDATE SKIP LOCKED`,
  values: shares.flatMap(({ queue, companyId, rows }) => [queue, companyId, rows]),
})

const CANDIDATES = `(SELECT id FROM outbox WHERE lane = ? AND company_id = ? AND available_at <= NOW(3)
  ORDER BY available_at, id LIMIT ?)`

const leaseStatement = (
  rows: readonly OutboxRow[],
  changes: string,
  owner: string,
  leaseMs: number,
): Statement => ({
  sql: `UPDATE outbox SET ${changes}, lease_owner = ?, available_at = ${FROM_NOW}
         WHERE id IN (${placeholders(rows.length)})`,
  values: [owner, toMicroseconds(leaseMs), ...rows.map(({ id }) => id)],
})

const inTemporalStatement = (rows: readonly OutboxRow[]): Statement => ({
  sql: `UPDATE deliveries SET in_temporal = 1 WHERE id IN (${placeholders(rows.length)})`,
  values: targetsOf(rows),
})

const pauseStatement = (claims: readonly Claim[]): Statement => ({
  sql: `UPDATE outbox SET lease_owner = NULL, available_at = ${FROM_NOW}
         WHERE id IN (${placeholders(claims.length)})`,
  values: [toMicroseconds(HELD_PAUSE_MS), ...claims.map(({ row }) => row.id)],
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
  /** Of the delivery of a `start` row; null for other kinds, and when that row is locked or gone. */
  in_temporal: number | null
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
