import type { SystemDb } from '../connection/connection.ts'
import { joined, readRows, sql, type Statement } from '../connection/statements.ts'

/*
 * The queues of the outbox. The rows of a queue wait for the same thing. The column `lane` has the name of the queue. The
 * names of shared queues stand below. The names of a webhook's queues begin with the webhook's id.
 */

/** The queue of commands that need no slot and end with one call. */
export const COMMAND_QUEUE = ''

/** The queue of commands that go through a whole webhook or company page by page. */
export const PAGE_QUEUE = 'pages'

/** The queues of `handover` rows: one for deliveries with another attempt to come, and one for those that failed for good. */
export const HANDOVER_QUEUE = 'handover'
export const FAILED_QUEUE = 'handover-failed'

/** The queues that all companies share. Their rows need no slot. They sort before the queues of all webhooks. */
export const SHARED_QUEUES = [COMMAND_QUEUE, HANDOVER_QUEUE, FAILED_QUEUE, PAGE_QUEUE] as const

export type SharedQueue = (typeof SHARED_QUEUES)[number]

const isShared = (queue: string): boolean => SHARED_QUEUES.some((shared) => shared === queue)

const DUE_MARK = '+'
const DIRECT_RETRY_MARK = '~'

/**
 * The webhook's queue of deliveries whose workflows wait for a slot. A webhook has two other queues: the queue of first
 * attempts, named by the webhook's id, and directRetryQueue.
 */
export const dueQueue = (webhookId: string): string => `${webhookId}${DUE_MARK}`

/**
 * The webhook's queue of direct retries. It is separate from first attempts, because these wait while the endpoint fails.
 * It is separate from due deliveries, because their rows take calls to Temporal.
 */
export const directRetryQueue = (webhookId: string): string => `${webhookId}${DIRECT_RETRY_MARK}`

/** The webhook whose slots the rows of a queue need; undefined if the rows need no slot. */
export function webhookOfQueue(queue: string): string | undefined {
  if (isShared(queue)) return undefined
  return queue.endsWith(DUE_MARK) || queue.endsWith(DIRECT_RETRY_MARK) ? queue.slice(0, -1) : queue
}

/** Whether the rows of a queue are first attempts. */
export const isFirstQueue = (queue: string): boolean => !isShared(queue) && webhookOfQueue(queue) === queue

/** Whether the rows of a queue are `start` rows. */
export const isStartQueue = (queue: string): boolean =>
  isFirstQueue(queue) || queue.endsWith(DIRECT_RETRY_MARK)

/** A queue of the outbox, and the company whose rows wait there. A queue of a webhook has one company only. */
export type Queue = { readonly queue: string; readonly companyId: string }

/** For each queue that all companies share: the company after which a search begins. */
type AfterCompany = Readonly<Record<SharedQueue, string>>

/** Where a search begins. */
type SearchStart = {
  readonly afterCompany: AfterCompany
  /** A webhook's queue, or BEFORE_WEBHOOKS. */
  readonly afterQueue: string
  /** Queues that every search reads. */
  readonly also: readonly string[]
}

/** What a search read: queues in order, also those in which nothing is due yet. */
type FoundQueues = {
  readonly shared: readonly SeenQueue[]
  readonly webhooks: readonly SeenQueue[]
  readonly also: readonly SeenQueue[]
}

export type SeenQueue = Queue & { readonly isDue: boolean }

/** The last shared queue in the order of names. A search of all webhooks' queues begins here: they sort after it. */
export const BEFORE_WEBHOOKS: string = SHARED_QUEUES.reduce((last, queue) => (queue > last ? queue : last))
/** One search reads at most this many queues of webhooks. */
export const QUEUES_PER_SEARCH = 500
/** In each of the shared queues, one search reads at most this many companies. */
export const COMPANIES_PER_SEARCH = 100

type Row = { part: keyof FoundQueues; lane: string; company_id: string; is_due: number }

/**
 * Searches for queues in which something is due. For each queue it reads one index entry, the one with the earliest time. It
 * reads no more queues than the limits above. So its cost depends neither on the number of rows nor on the number of queues.
 */
export async function searchQueues(
  db: SystemDb,
  { afterCompany, afterQueue, also }: SearchStart,
): Promise<FoundQueues> {
  const parts = [
    ...SHARED_QUEUES.map((queue) =>
      part('shared', sql`lane = ${queue} AND company_id > ${afterCompany[queue]}`, COMPANIES_PER_SEARCH),
    ),
    part('webhooks', sql`lane > ${afterQueue}`, QUEUES_PER_SEARCH),
    ...(also.length > 0 ? [part('also', sql`lane IN (${also})`, also.length)] : []),
  ]
  const rows = await readRows<Row>(db)`${joined(parts, ' UNION ')}`
  const seen = (name: keyof FoundQueues) => rows.filter((row) => row.part === name).map(toSeenQueue)
  return { shared: seen('shared'), webhooks: seen('webhooks'), also: seen('also') }
}

/**
 * With these columns and this grouping the server skips from queue to queue in the index outbox_claim, and stops at the limit.
 */
const part = (name: keyof FoundQueues, condition: Statement, limit: number): Statement => sql`
  (SELECT ${name} AS part, lane, company_id, MIN(available_at) <= NOW(3) AS is_due
     FROM outbox WHERE ${condition} GROUP BY lane, company_id ORDER BY lane, company_id LIMIT ${limit})`

const toSeenQueue = ({ lane, company_id, is_due }: Row): SeenQueue => ({
  queue: lane,
  companyId: company_id,
  isDue: Boolean(is_due),
})

/** One search reads at most this many new outbox rows. */
const FRESH_ROWS = 2_000

/**
 * The webhooks' queues in which one of the latest rows is due.
 *
 * @param afterId only rows with higher ids; undefined: begin near the end
 * @param overlap the next search begins this many ids before the newest, because transactions may commit out of order
 * @returns the queues, and the `afterId` of the next search
 */
export async function listFreshQueues(
  db: SystemDb,
  afterId: number | undefined,
  overlap: number,
): Promise<{ queues: Queue[]; nextAfterId: number }> {
  const from = afterId ?? Math.max(0, (await newestId(db)) - overlap)
  const rows = await readRows<{ lane: string; company_id: string; newest: number; is_due: number }>(db)`
    SELECT lane, company_id, MAX(id) AS newest, MIN(available_at) <= NOW(3) AS is_due
      FROM (SELECT id, lane, company_id, available_at FROM outbox WHERE id > ${from}
             ORDER BY id LIMIT ${FRESH_ROWS}) fresh
     GROUP BY lane, company_id`
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
