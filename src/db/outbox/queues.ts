import type { SystemDb } from '../connection/connection.ts'
import { PAGE_QUEUE, SHARED_QUEUES, type SharedQueue } from './queue-names.ts'

/** A queue of the outbox and the company whose rows wait there. A webhook's queues have one company only. */
export type Queue = { readonly queue: string; readonly companyId: string }

/** The company after which a search begins, in each of the queues that all companies share. */
type AfterCompany = Readonly<Record<SharedQueue, string>>

/** Where a search begins. */
type SearchStart = {
  readonly afterCompany: AfterCompany
  /** A webhook's queue, or BEFORE_WEBHOOKS. */
  readonly afterQueue: string
  /** Queues to read in any case. */
  readonly also: readonly string[]
}

/** What a search read: queues in order, including those in which nothing is due yet. */
type FoundQueues = {
  readonly shared: readonly SeenQueue[]
  readonly webhooks: readonly SeenQueue[]
  readonly also: readonly SeenQueue[]
}

export type SeenQueue = Queue & { readonly isDue: boolean }

/** Where a search of all webhooks' queues begins: they sort behind this name, and the shared queues do not. */
export const BEFORE_WEBHOOKS: string = PAGE_QUEUE
/** Queues of webhooks that one search reads at most. */
export const QUEUES_PER_SEARCH = 500
/** Companies that one search reads at most in each of the shared queues. */
export const COMPANIES_PER_SEARCH = 100

type Row = { part: keyof FoundQueues; lane: string; company_id: string; is_due: number }

/**
 * Searches for queues in which something is due. It reads one index entry per queue, that with the earliest time, and no
 * more queues than the limits above. So a search costs no more, however many rows wait and however many queues there are.
 */
export async function searchQueues(
  db: SystemDb,
  { afterCompany, afterQueue, also }: SearchStart,
): Promise<FoundQueues> {
  const parts = [
    ...SHARED_QUEUES.map((queue) =>
      part(db, 'shared', COMPANIES_PER_SEARCH)
        .where({ lane: queue })
        .where('company_id', '>', afterCompany[queue]),
    ),
    part(db, 'webhooks', QUEUES_PER_SEARCH).where('lane', '>', afterQueue),
    ...(also.length > 0 ? [part(db, 'also', also.length).whereIn('lane', [...also])] : []),
  ]
  const rows = (await db.union(parts, true)) as unknown as Row[]
  const seen = (name: keyof FoundQueues) => rows.filter((row) => row.part === name).map(toSeenQueue)
  return { shared: seen('shared'), webhooks: seen('webhooks'), also: seen('also') }
}

/** The columns and the grouping make it a loose scan of the index outbox_claim, which ends at the limit. */
const part = (db: SystemDb, name: keyof FoundQueues, limit: number) =>
  db('outbox')
    .select(
      db.raw('? AS part', [name]),
      'lane',
      'company_id',
      db.raw('MIN(available_at) <= NOW(3) AS is_due'),
    )
    .groupBy('lane', 'company_id')
    .orderBy(['lane', 'company_id'])
    .limit(limit)

const toSeenQueue = ({ lane, company_id, is_due }: Row): SeenQueue => ({
  queue: lane,
  companyId: company_id,
  isDue: Boolean(is_due),
})

/** New outbox rows that one search reads at most. */
const FRESH_ROWS = 2_000

/**
 * The queues of the rows that were queued last and are due.
 *
 * @param afterId rows up to this id are left out; undefined begins near the end
 * @param overlap how many ids before the newest one the next search begins, for transactions that commit out of order
 * @returns the queues, and the `afterId` of the next search
 */
export async function listFreshQueues(
  db: SystemDb,
  afterId: number | undefined,
  overlap: number,
): Promise<{ queues: Queue[]; nextAfterId: number }> {
  const from = afterId ?? Math.max(0, (await newestId(db)) - overlap)
  const fresh = db('outbox')
    .where('id', '>', from)
    .orderBy('id')
    .limit(FRESH_ROWS)
    .select('id', 'lane', 'company_id', 'available_at')
    .as('fresh')
  const rows = await db
    .from(fresh)
    .groupBy('lane', 'company_id')
    .select<{ lane: string; company_id: string; newest: number; is_due: number }[]>(
      'lane',
      'company_id',
      db.raw('MAX(id) AS newest'),
      db.raw('MIN(available_at) <= NOW(3) AS is_due'),
    )
  const newest = rows.reduce((id, row) => Math.max(id, row.newest), 0)
  return {
    queues: rows
      .filter(({ lane, is_due }) => is_due && lane > BEFORE_WEBHOOKS)
      .map(({ lane, company_id }) => ({ queue: lane, companyId: company_id })),
    nextAfterId: Math.max(from, newest - overlap),
  }
}

async function newestId(db: SystemDb): Promise<number> {
  const row = await db('outbox').max({ id: 'id' }).first<{ id: number | null } | undefined>()
  return row?.id ?? 0
}
