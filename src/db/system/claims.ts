import { fromNow } from '../clock.js'
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
      .update({ lease_owner: owner, available_at: fromNow(trx, leaseMs) })
    return rows.map(toClaimedRow)
  })
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
