import type { Db } from '../db/connection/connection.js'
import { PAGE_LANE } from '../db/outbox.js'
import {
  COMPANIES_PER_LOOK,
  LANES_PER_LOOK,
  listFreshLanes,
  lookAtLanes,
  type Lane,
  type SeenLane,
} from '../db/system/lanes.js'

/** Lanes that have something to claim now. */
export type Candidates = {
  /** Lanes of webhooks, and of commands that take one call. */
  readonly lanes: readonly Lane[]
  /** Companies with a command that goes over a whole webhook. */
  readonly pages: readonly Lane[]
}

/** Lanes that rows were claimed from last; more are not remembered. */
const REMEMBERED_LANES = 200
/** Ids that a transaction may commit late. */
const LATE_IDS = 1_000

/**
 * Finds the lanes to claim from with a bounded number of reads. Up to 500 lanes are seen at every look. When there are
 * more, a window goes round over them, and beside it stand the lanes of the newest rows and those that rows were claimed
 * from last: a fresh event of a neighbour is seen at once, and a webhook at work is not left until the window is back.
 */
export class CandidateFinder {
  #afterCommandCompany = ''
  #afterPageCompany = ''
  #afterLane = PAGE_LANE
  #afterId: number | undefined
  readonly #busy = new Map<string, Lane>()

  /** Remembers the lanes that rows were claimed from. */
  claimed(lanes: readonly Lane[]): void {
    for (const { lane, companyId } of lanes) {
      if (lane <= PAGE_LANE) continue
      this.#busy.delete(lane)
      this.#busy.set(lane, { lane, companyId })
    }
    for (const lane of [...this.#busy.keys()].slice(0, -REMEMBERED_LANES)) this.#busy.delete(lane)
  }

  /** Looks once. */
  async find(db: Db): Promise<Candidates> {
    const isPart = this.#isPart
    const look = await lookAtLanes(db, {
      afterCommandCompany: this.#afterCommandCompany,
      afterPageCompany: this.#afterPageCompany,
      afterLane: this.#afterLane,
      also: isPart ? [...this.#busy.keys()] : [],
    })
    const { commands, pages, webhooks, also } = look
    if (isPart) this.#forget(also)
    this.#afterCommandCompany = nextStart(commands, COMPANIES_PER_LOOK)?.companyId ?? ''
    this.#afterPageCompany = nextStart(pages, COMPANIES_PER_LOOK)?.companyId ?? ''
    this.#isPart = this.#afterLane !== PAGE_LANE || webhooks.length === LANES_PER_LOOK
    this.#afterLane = nextStart(webhooks, LANES_PER_LOOK)?.lane ?? PAGE_LANE
    const fresh = this.#isPart ? await this.#findFresh(db) : []
    return {
      lanes: withoutRepeats([...commands, ...webhooks, ...also].filter(({ isDue }) => isDue).concat(fresh)),
      pages: pages.filter(({ isDue }) => isDue),
    }
  }

  /** Whether the window shows a part of the lanes only. */
  #isPart = false

  async #findFresh(db: Db): Promise<SeenLane[]> {
    const { lanes, nextAfterId } = await listFreshLanes(db, this.#afterId, LATE_IDS)
    this.#afterId = nextAfterId
    return lanes.map((lane) => ({ ...lane, isDue: true }))
  }

  /** Forgets the lanes in which nothing is due any more. */
  #forget(seen: readonly SeenLane[]): void {
    const due = new Set(seen.filter(({ isDue }) => isDue).map(({ lane }) => lane))
    for (const lane of this.#busy.keys()) if (!due.has(lane)) this.#busy.delete(lane)
  }
}

/** Where the next window begins; undefined, at the beginning, when this one was not full. */
const nextStart = (seen: readonly Lane[], limit: number): Lane | undefined =>
  seen.length < limit ? undefined : seen.at(-1)

const withoutRepeats = (lanes: readonly Lane[]): Lane[] => [
  ...new Map(
    lanes.map(({ lane, companyId }) => [`${companyId} ${lane}`, { lane, companyId }] as const),
  ).values(),
]
