import type { Db } from '../db/connection/connection.js'
import { PAGE_QUEUE } from '../db/outbox.js'
import {
  COMPANIES_PER_SEARCH,
  QUEUES_PER_SEARCH,
  listFreshQueues,
  searchQueues,
  type Queue,
  type SeenQueue,
} from '../db/system/queues.js'

/** Queues that have something to claim now. */
export type Candidates = {
  /** Queues of webhooks, and of commands that take one call. */
  readonly queues: readonly Queue[]
  /** Queues of companies with a command that pages through a whole webhook. */
  readonly pages: readonly Queue[]
}

/** How many of the queues that rows were claimed from last are remembered. */
const REMEMBERED_QUEUES = 200
/** How many ids behind the newest one a row may still appear, because its transaction commits late. */
const LATE_IDS = 1_000

/**
 * Finds the queues to claim from with a bounded number of reads. Each search reads up to 500 queues of webhooks. When
 * there are more, the next search continues with the next 500, and begins again after the last. Each search then also
 * reads the queues of the newest rows, so that a new event is found at once. And it reads the queues that rows were
 * claimed from last, so that a busy webhook does not wait until its 500 are read again.
 */
export class CandidateFinder {
  #afterCommandCompany = ''
  #afterPageCompany = ''
  #afterQueue = PAGE_QUEUE
  #afterId: number | undefined
  readonly #busy = new Map<string, Queue>()

  /** Remembers the queues that rows were claimed from. */
  claimed(queues: readonly Queue[]): void {
    for (const { queue, companyId } of queues) {
      if (queue <= PAGE_QUEUE) continue
      this.#busy.delete(queue)
      this.#busy.set(queue, { queue, companyId })
    }
    for (const queue of [...this.#busy.keys()].slice(0, -REMEMBERED_QUEUES)) this.#busy.delete(queue)
  }

  /** Searches once. */
  async find(db: Db): Promise<Candidates> {
    const isPart = this.#isPart
    const found = await searchQueues(db, {
      afterCommandCompany: this.#afterCommandCompany,
      afterPageCompany: this.#afterPageCompany,
      afterQueue: this.#afterQueue,
      also: isPart ? [...this.#busy.keys()] : [],
    })
    const { commands, pages, webhooks, also } = found
    if (isPart) this.#forget(also)
    this.#afterCommandCompany = nextStart(commands, COMPANIES_PER_SEARCH)?.companyId ?? ''
    this.#afterPageCompany = nextStart(pages, COMPANIES_PER_SEARCH)?.companyId ?? ''
    this.#isPart = this.#afterQueue !== PAGE_QUEUE || webhooks.length === QUEUES_PER_SEARCH
    this.#afterQueue = nextStart(webhooks, QUEUES_PER_SEARCH)?.queue ?? PAGE_QUEUE
    const fresh = this.#isPart ? await this.#findFresh(db) : []
    return {
      queues: withoutRepeats([...commands, ...webhooks, ...also].filter(({ isDue }) => isDue).concat(fresh)),
      pages: pages.filter(({ isDue }) => isDue),
    }
  }

  /** Whether one search cannot read all queues of webhooks. */
  #isPart = false

  async #findFresh(db: Db): Promise<SeenQueue[]> {
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

/** The queue after which the next search begins; undefined, at the first one, when this search reached the end. */
const nextStart = (seen: readonly Queue[], limit: number): Queue | undefined =>
  seen.length < limit ? undefined : seen.at(-1)

const withoutRepeats = (queues: readonly Queue[]): Queue[] => [
  ...new Map(
    queues.map(({ queue, companyId }) => [`${companyId} ${queue}`, { queue, companyId }] as const),
  ).values(),
]
