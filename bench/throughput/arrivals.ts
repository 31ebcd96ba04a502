import { summarise, type Times } from '../support/figures.ts'
import { steadySeconds } from './requests.ts'

/** Times: steady clock. */
export type ArrivalCounts = {
  delivered: number
  attempts: number
  duplicates: number
  firstAt: number
  lastAt: number
}

/** What arrived since the last reset: which webhook-id at which path, how often, and how long after it was sent. */
export class BenchArrivals {
  /** Requests that were answered well, by path and webhook-id. */
  readonly #byPath = new Map<string, Map<string, number>>()
  /** From sending to arrival, of each delivery's first request. */
  readonly #milliseconds: number[] = []
  readonly #counts: ArrivalCounts = { delivered: 0, attempts: 0, duplicates: 0, firstAt: 0, lastAt: 0 }
  readonly #waiters = new Set<{ readonly delivered: number; readonly resolve: () => void }>()

  /** @param request isGood: it is answered with 2xx */
  add({ path, id, sentAt, isGood }: { path: string; id: string; sentAt: number; isGood: boolean }): void {
    const counts = this.#counts
    counts.attempts += 1
    if (!isGood) return
    const ids = this.#byPath.get(path) ?? new Map<string, number>()
    if (ids.size === 0) this.#byPath.set(path, ids)
    const before = ids.get(id) ?? 0
    ids.set(id, before + 1)
    if (before > 0) return void (counts.duplicates += 1)
    counts.lastAt = steadySeconds()
    if (counts.delivered === 0) counts.firstAt = counts.lastAt
    counts.delivered += 1
    this.#milliseconds.push((counts.lastAt - sentAt) * 1000)
    for (const waiter of this.#waiters) if (counts.delivered >= waiter.delivered) waiter.resolve()
  }

  /** Resolves once so many are delivered, or the time is over. */
  async wait({ delivered, timeoutMs }: { delivered: number; timeoutMs: number }): Promise<void> {
    if (this.#counts.delivered >= delivered) return
    await new Promise<void>((resolve) => {
      this.#waiters.add({ delivered, resolve })
      setTimeout(resolve, timeoutMs)
    })
  }

  figures(): ArrivalCounts & { receivedMs: Times } {
    return { ...this.#counts, receivedMs: summarise(this.#milliseconds) }
  }

  /**
   * Compares with what the api accepted.
   *
   * @param accepted each: endpoints that every event must have reached
   * @returns lost: deliveries that did not arrive; unknown: those that arrived without an accepted event
   */
  compare({ ids, each }: Accepted): { lost: number; unknown: number } {
    const paths = [...this.#byPath.values()]
    const arrivals = ids.map((id) => paths.filter((arrived) => arrived.has(id)).length)
    return compareCounts(arrivals, each, this.#counts.delivered)
  }
}

export type Accepted = { readonly ids: readonly string[]; readonly each: number }

/** @param found deliveries of each accepted event; `all`: of all events */
export function compareCounts(found: readonly number[], each: number, all: number) {
  const known = found.reduce((sum, deliveries) => sum + deliveries, 0)
  const lost = found.reduce((sum, deliveries) => sum + Math.max(0, each - deliveries), 0)
  return { lost, unknown: all - known }
}
