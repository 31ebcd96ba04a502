import { afterNow } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import {
  inBatchTransaction,
  joined,
  rowsOf,
  sql,
  type Statement,
  type StatementResult,
} from '../connection/statements.ts'
import { gateStatement, toGateRowsById, type GateRows } from '../delivery/gate-rows.ts'
import { type ClaimedRow, type OutboxKind, releaseStarts } from './outbox.ts'
import type { Queue } from './queues.ts'

/** How many rows to take from a queue. */
export type QueueShare = Queue & { readonly rows: number }

/** A claimed row. `delivery`: the rows of its delivery. undefined if the row is not about a delivery, or the delivery is gone. */
export type Claim = {
  readonly row: ClaimedRow
  readonly delivery: GateRows | undefined
  /** Whether this worker makes a direct attempt. Until the lease ends nobody else makes one. */
  readonly isDirect: boolean
}

/** Who claims, and for how long. */
export type Claimant = {
  readonly owner: string
  readonly leaseMs: number
  /** Whether this worker makes direct first attempts. */
  readonly isDirect: boolean
  /**
   * With direct attempts: it claims at most this many `start` rows for workflows, because each costs a call. By default
   * unlimited.
   */
  readonly starts?: number
  /** Whether to read the trace contexts of the deliveries. */
  readonly isTraced?: boolean
}

/**
 * After this many claims without a recorded attempt a `start` row goes to a workflow, because its attempt may be what kills
 * workers.
 */
export const MOST_DIRECT_TRIES = 2
/** The pause of a `start` row whose delivery another transaction locks, in milliseconds. */
const LOCKED_PAUSE_MS = 50
/**
 * The pause of a `start` row that needs a workflow while no call to Temporal is free, in milliseconds. During the pause
 * direct attempts of its webhook go first.
 */
const NO_CALL_PAUSE_MS = 1_000
/**
 * Events of at most this many bytes are read with the claim of a direct attempt. Larger ones are read when the attempt needs
 * them.
 */
const CLAIMED_BODY_BYTES = 16_384

/**
 * Claims up to the given number of rows of each queue, oldest first, in two round trips. It skips rows that another
 * transaction locks. It reads the deliveries together with the claim.
 *
 * The claim of a `start` row locks its delivery too, and chooses between a direct attempt and a workflow. For a
 * workflow it sets `in_temporal`, so that no direct attempt can begin after this commit.
 */
export async function claimShares(
  batchDb: SystemDb,
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
    const { direct, others } = plan
    const reads = [
      ...(direct.length > 0 ? [gateStatement(targetsOf(direct), { bodyUpTo: CLAIMED_BODY_BYTES })] : []),
      ...(others.length > 0
        ? [gateStatement(targetsOf(others), { withTrace: claimant.isTraced === true })]
        : []),
    ]
    const results = await trx.commit([...statements, ...reads])
    return toClaims(plan, results.slice(statements.length))
  })
  const undecided = claims.filter(isUndecided).map(({ row }) => row.id)
  // If the rows cannot be released, they come back when their lease ends. The other claims are committed, so their work
  // must begin.
  if (undecided.length > 0)
    await releaseStarts(batchDb, undecided, claimant.owner, LOCKED_PAUSE_MS).catch(() => undefined)
  return claims.filter((claim) => !isUndecided(claim))
}

/**
 * Chooses the rows by the index outbox_claim, and locks them by their ids only. A lock along the index would also lock
 * rows of the same queue that other workers have claimed, or wait for these rows. `in_temporal` is NULL if another
 * transaction locks the delivery, or there is no delivery.
 */
const lockStatement = (shares: readonly QueueShare[]): Statement => sql`
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

/** A row that was locked, before this claim changes it. */
type OutboxRow = {
  id: number
  kind: OutboxKind
  subject_id: string
  company_id: string
  lane: string
  version: number
  argument: number | null
  tries: number
  /** `in_temporal` of the delivery, for a `start` row. null for other kinds, and if the delivery is locked or gone. */
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
const targetsOf = (rows: readonly OutboxRow[]): string[] => rows.map(({ subject_id }) => subject_id)

/**
 * Divides the locked rows into those that get a direct attempt, those that are claimed for other work, and those that are
 * postponed.
 */
type ClaimPlan = {
  readonly direct: readonly OutboxRow[]
  readonly others: readonly OutboxRow[]
  readonly postponed: readonly OutboxRow[]
}

function planClaim(rows: readonly OutboxRow[], { isDirect, starts = Infinity }: Claimant): ClaimPlan {
  if (!isDirect) return { direct: [], others: rows, postponed: [] }
  const plan = { direct: [] as OutboxRow[], others: [] as OutboxRow[], postponed: [] as OutboxRow[] }
  let startsLeft = starts
  for (const row of rows) {
    const { kind, in_temporal, tries } = row
    if (kind !== 'start' || in_temporal === null) plan.others.push(row)
    else if (in_temporal === 0 && tries < MOST_DIRECT_TRIES) plan.direct.push(row)
    else (startsLeft-- > 0 ? plan.others : plan.postponed).push(row)
  }
  return plan
}

/** The statements that write the claim. */
function leaseStatements(
  { direct, others, postponed }: ClaimPlan,
  { owner, leaseMs }: Claimant,
): Statement[] {
  const toWorkflow = others.filter(({ kind, in_temporal }) => kind === 'start' && in_temporal === 0)
  const lease = sql`lease_owner = ${owner}, available_at = ${afterNow(leaseMs)}`
  const change = (rows: readonly OutboxRow[], changes: Statement) =>
    rows.length > 0 ? [sql`UPDATE outbox SET ${changes} WHERE id IN (${rows.map(({ id }) => id)})`] : []
  return [
    ...change(direct, sql`is_direct = 1, tries = tries + 1, ${lease}`),
    ...change(others, sql`is_direct = 0, ${lease}`),
    ...(toWorkflow.length > 0
      ? [sql`UPDATE deliveries SET in_temporal = 1 WHERE id IN (${targetsOf(toWorkflow)})`]
      : []),
    ...change(postponed, sql`lease_owner = NULL, available_at = ${afterNow(NO_CALL_PAUSE_MS)}`),
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

/**
 * Whether another transaction locks the delivery of this `start` row. Then this claim cannot decide who makes the
 * attempt, so claimShares puts the row back for LOCKED_PAUSE_MS.
 */
const isUndecided = ({ row, delivery, hasLockedDelivery }: LockedClaim): boolean =>
  row.kind === 'start' && delivery !== undefined && !hasLockedDelivery
