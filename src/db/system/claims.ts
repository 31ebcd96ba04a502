import type { Db } from '../connection.js'
import { inTransaction } from '../connection.js'
import { COMMAND_LANE, type OutboxKind } from '../outbox.js'

/** An outbox row that this worker holds until its lease ends. */
export type ClaimedRow = {
  readonly id: number
  readonly kind: OutboxKind
  readonly subjectId: string
  readonly companyId: string
  readonly lane: string
  readonly version: number
  readonly argument: number | null
  readonly tries: number
}

/** A webhook with rows that may be claimed now. */
export type Lane = { readonly lane: string; readonly companyId: string }

/** How many rows to take from a lane. */
export type LaneShare = Lane & { readonly rows: number }

/**
 * The lanes in which something is due. One index entry is read per lane (a loose scan over lane, company and the
 * earliest time), so the backlog behind a hung endpoint costs its neighbours nothing.
 */
export async function listDueLanes(db: Db): Promise<Lane[]> {
  const rows = await db('outbox')
    .where('lane', '>', COMMAND_LANE)
    .groupBy('lane', 'company_id')
    .havingRaw('MIN(available_at) <= NOW(3)')
    .select<{ lane: string; company_id: string }[]>('lane', 'company_id')
  return rows.map(({ lane, company_id }) => ({ lane, companyId: company_id }))
}

/** Claims up to the given rows of each lane, oldest first. */
export async function claimStarts(
  db: Db,
  shares: readonly LaneShare[],
  owner: string,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  if (shares.length === 0) return []
  const candidates = await db.union(
    shares.map(({ lane, companyId, rows }) =>
      db('outbox')
        .where({ lane, company_id: companyId })
        .whereRaw('available_at <= NOW(3)')
        .orderBy(['available_at', 'id'])
        .limit(rows)
        .select('id'),
    ),
    true,
  )
  return claimByIds(
    db,
    (candidates as { id: number }[]).map(({ id }) => id),
    owner,
    leaseMs,
  )
}

/** Claims commands that need no slot, oldest first. */
export async function claimCommands(
  db: Db,
  limit: number,
  owner: string,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  const candidates = await db('outbox')
    .where({ lane: COMMAND_LANE })
    .whereRaw('available_at <= NOW(3)')
    .orderBy('available_at')
    .limit(limit)
    .select<{ id: number }[]>('id')
  return claimByIds(
    db,
    candidates.map(({ id }) => id),
    owner,
    leaseMs,
  )
}

async function claimByIds(
  db: Db,
  ids: readonly number[],
  owner: string,
  leaseMs: number,
): Promise<ClaimedRow[]> {
  if (ids.length === 0) return []
  return inTransaction(db, async (trx) => {
    const rows = await trx('outbox')
      .whereIn('id', [...ids])
      .whereRaw('available_at <= NOW(3)')
      .orderBy('id')
      .forUpdate()
      .skipLocked()
      .select<OutboxRow[]>('id', 'kind', 'subject_id', 'company_id', 'lane', 'version', 'argument', 'tries')
    if (rows.length === 0) return []
    await trx('outbox')
      .whereIn(
        'id',
        rows.map(({ id }) => id),
      )
      .update({ lease_owner: owner, available_at: inMs(trx, leaseMs) })
    return rows.map(toClaimedRow)
  })
}

/** Gives a row back after a definite error, to be claimed again after the back-off. */
export async function releaseRow(db: Db, row: ClaimedRow, owner: string, backoffMs: number): Promise<void> {
  await db('outbox')
    .where({ id: row.id, version: row.version, lease_owner: owner })
    .update({ lease_owner: null, tries: row.tries + 1, available_at: inMs(db, backoffMs) })
}

/** Prolongs the lease of a row on which work goes on. Gives whether it is still ours and still asks for the same. */
export async function renewRow(db: Db, row: ClaimedRow, owner: string, leaseMs: number): Promise<boolean> {
  const renewed = await db('outbox')
    .where({ id: row.id, version: row.version, lease_owner: owner })
    .update({ available_at: inMs(db, leaseMs) })
  return renewed === 1
}

/** Removes a command whose work is done, unless it was asked for again meanwhile. */
export async function deleteCommand(db: Db, row: ClaimedRow, owner: string): Promise<void> {
  await db('outbox').where({ id: row.id, version: row.version, lease_owner: owner }).delete()
}

/** Removes the start rows of deliveries that need no start any more. */
export async function deleteStarts(db: Db, deliveryIds: readonly string[]): Promise<void> {
  await db('outbox')
    .where({ kind: 'start' })
    .whereIn('subject_id', [...deliveryIds])
    .delete()
}

/** Moves the lease of a delivery's start row on: its attempt is about to begin. */
export async function renewStart(db: Db, deliveryId: string, leaseMs: number): Promise<void> {
  await db('outbox')
    .where({ kind: 'start', subject_id: deliveryId })
    .update({ available_at: inMs(db, leaseMs) })
}

/** Rows waiting, and for how many seconds the longest waiting one has been due. */
export async function measureOutbox(db: Db): Promise<{ pending: number; oldestSeconds: number }> {
  const [count] = await db('outbox').count({ pending: '*' })
  const lanes = db('outbox').groupBy('lane', 'company_id').min({ at: 'available_at' }).as('lanes')
  const oldest = await db
    .from(lanes)
    .select(db.raw('TIMESTAMPDIFF(MICROSECOND, MIN(at), NOW(3)) AS age'))
    .first<{ age: number | null }>()
  return {
    pending: Number(count?.pending ?? 0),
    oldestSeconds: Math.max(0, (oldest.age ?? 0) / 1e6),
  }
}

const inMs = (db: Db, durationMs: number) =>
  db.raw('NOW(3) + INTERVAL ? MICROSECOND', [Math.round(durationMs * 1000)])

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
  subjectId: row.subject_id,
  companyId: row.company_id,
  lane: row.lane,
  version: row.version,
  argument: row.argument,
  tries: row.tries,
})
