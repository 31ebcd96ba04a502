import type { SystemDb } from '../db/connection/connection.ts'
import {
  SHARED_QUEUES,
  webhookOfQueue,
  type SharedQueue,
  isFirstQueue,
  COMPANIES_PER_SEARCH,
  BEFORE_WEBHOOKS,
  QUEUES_PER_SEARCH,
  listFreshQueues,
  searchQueues,
  type Queue,
  type SeenQueue,
} from '../db/outbox/queues.ts'
import { setLatest } from '../domain/buffers.ts'

/** At most this many queues are remembered after claims. If rings name more queues than this, the relay searches. */
const REMEMBERED_QUEUES = 200
/**
 * For this long after a search, the relay reads only queues that a ring of the doorbell named. A row whose ring was
 * lost waits at most this long for a search.
 */
const HINTS_SUFFICE_MS = 50
/** How far below the newest id a row may appear, because its transaction committed late. */
const LATE_IDS = 1_000

/**
 * Finds, with a bounded number of reads, the queues to claim rows from. Each search reads up to 500 queues of webhooks.
 * If there are more queues, the next search reads the next 500. After the last queue, the search begins again. While
 * there are more than 500, each search also reads the queues of the newest rows, so that it finds a new event at once.
 * It also reads the queues that rows were claimed from lately, so that a busy webhook need not wait for its turn.
 */
export class CandidateFinder {
  #afterCompany = forEachShared(() => '')
  #afterQueue = BEFORE_WEBHOOKS
  #afterId: number | undefined
  #isPartial = false
  readonly #busy = new Map<string, Queue>()
  /** Queues that a ring has named since the latest claim. */
  readonly #hints = new Map<string, Queue>()
  /**
   * The queues of due deliveries and of direct retries in which the latest search found due rows. No ring names these
   * queues.
   */
  readonly #unrung = new Map<string, Queue>()
  #searchedAtMs = -Infinity

  /** Remembers the queues that rows were claimed from. */
  claimed(queues: readonly Queue[]): void {
    for (const { queue, companyId } of queues) {
      if (webhookOfQueue(queue) === undefined) continue
      setLatest(this.#busy, queue, { queue, companyId }, REMEMBERED_QUEUES)
    }
  }

  /** Notes queues from which fewer rows were claimed than the claim asked for. */
  emptied(queues: readonly Queue[]): void {
    for (const { queue } of queues) this.#unrung.delete(queue)
  }

  /** Notes queues that may have new rows. If undefined, any queue may have new rows. */
  hint(queues: readonly Queue[] | undefined): void {
    for (const hint of queues ?? []) this.#hints.set(hint.queue, hint)
    if (!queues || this.#hints.size > REMEMBERED_QUEUES) this.#searchedAtMs = -Infinity
  }

  /** Whether there are more queues of webhooks than one search reads. The next search continues. */
  get isPartial(): boolean {
    return this.#isPartial
  }

  /**
   * Returns the queues that a ring named, so that a new event is claimed without a search. It adds the other queues of
   * the same webhooks, because otherwise a stream of first attempts would starve the retries. It searches when no ring
   * named a queue, or the latest search is 50 ms old.
   *
   * @param nowMs on a clock that only goes forward
   */
  async next(db: SystemDb, nowMs = performance.now()): Promise<readonly Queue[]> {
    const hints = [...this.#hints.values()]
    this.#hints.clear()
    if (hints.length > 0 && nowMs - this.#searchedAtMs < HINTS_SUFFICE_MS) {
      const webhooks = new Set(hints.map(({ queue }) => queue))
      return [...hints, ...[...this.#unrung.values()].filter(({ queue }) => webhooks.has(webhookIn(queue)))]
    }
    this.#searchedAtMs = nowMs
    const found = await this.find(db)
    this.#unrung.clear()
    for (const queue of found) if (isUnrung(queue)) this.#unrung.set(queue.queue, queue)
    return found
  }

  /** Searches once. Returns queues with due rows. Queues that companies share come first. */
  async find(db: SystemDb): Promise<readonly Queue[]> {
    const isPartial = this.#isPartial
    const { shared, webhooks, also } = await searchQueues(db, {
      afterCompany: this.#afterCompany,
      afterQueue: this.#afterQueue,
      also: isPartial ? [...this.#busy.keys()] : [],
    })
    if (isPartial) this.#forget(also)
    this.#afterCompany = forEachShared((name) => {
      const seen = shared.filter(({ queue }) => queue === name)
      return nextStart(seen, COMPANIES_PER_SEARCH)?.companyId ?? ''
    })
    this.#isPartial = this.#afterQueue !== BEFORE_WEBHOOKS || webhooks.length === QUEUES_PER_SEARCH
    this.#afterQueue = nextStart(webhooks, QUEUES_PER_SEARCH)?.queue ?? BEFORE_WEBHOOKS
    const fresh = this.#isPartial ? await this.#findFresh(db) : []
    return withoutRepeats([...shared, ...webhooks, ...also].filter(({ isDue }) => isDue).concat(fresh))
  }

  async #findFresh(db: SystemDb): Promise<SeenQueue[]> {
    const { queues, nextAfterId } = await listFreshQueues(db, this.#afterId, LATE_IDS)
    this.#afterId = nextAfterId
    return queues.map((queue) => ({ ...queue, isDue: true }))
  }

  /** Forgets the queues in which nothing is due any more. */
  #forget(seen: readonly SeenQueue[]): void {
    const due = new Set(seen.filter(({ isDue }) => isDue).map(({ queue }) => queue))
    for (const queue of this.#busy.keys()) if (!due.has(queue)) this.#busy.delete(queue)
  }
}

const webhookIn = (queue: string): string => webhookOfQueue(queue) ?? ''

/** Whether it is a webhook's queue of due deliveries or of direct retries. */
const isUnrung = ({ queue }: Queue): boolean => webhookOfQueue(queue) !== undefined && !isFirstQueue(queue)

/**
 * Returns the queue after which the next search begins. Undefined: this search reached the end, so the next one begins
 * at the start.
 */
const nextStart = (seen: readonly Queue[], limit: number): Queue | undefined =>
  seen.length < limit ? undefined : seen.at(-1)

const withoutRepeats = (queues: readonly Queue[]): Queue[] => [
  ...new Map(
    queues.map(({ queue, companyId }) => [`${companyId} ${queue}`, { queue, companyId }] as const),
  ).values(),
]

function forEachShared<T>(make: (queue: SharedQueue) => T): Record<SharedQueue, T> {
  return Object.fromEntries(SHARED_QUEUES.map((queue) => [queue, make(queue)])) as Record<SharedQueue, T>
}
