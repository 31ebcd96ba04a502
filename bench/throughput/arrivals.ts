import { waitUntil } from '../../scripts/lib/ready.ts'
import { summarise } from '../support/figures.ts'
import { steadySeconds } from './requests.ts'

/** Good enough to wait for the end of a phase, which counts until its last arrival. */
const LOOK_MS = 10

/** What arrived since the last reset: which webhook-id at which path, how often, and how long after it was sent. */
export class BenchArrivals {
  /** The webhook-ids of requests that were answered well, by path. */
  readonly #byPath = new Map<string, Set<string>>()
  /** From sending to arrival, of each delivery's first request. */
  readonly #milliseconds: number[] = []
  /** Times: steady clock. */
  readonly #counts = { delivered: 0, duplicates: 0, firstAt: 0, lastAt: 0 }

  /** @param request isGood: it is answered with 2xx */
  add({ path, id, sentAt, isGood }: { path: string; id: string; sentAt: number; isGood: boolean }): void {
    if (!isGood) return
    const counts = this.#counts
    const ids = this.#byPath.get(path) ?? new Set()
    this.#byPath.set(path, ids)
    if (ids.has(id)) return void (counts.duplicates += 1)
    ids.add(id)
    counts.lastAt = steadySeconds()
    if (counts.delivered === 0) counts.firstAt = counts.lastAt
    counts.delivered += 1
    this.#milliseconds.push((counts.lastAt - sentAt) * 1000)
  }

  /** Resolves once so many are delivered, or the time is over. */
  async wait({ delivered, timeoutMs }: { delivered: number; timeoutMs: number }): Promise<void> {
    const isDone = () => this.#counts.delivered >= delivered
    await waitUntil('', isDone, { timeoutMs, intervalMs: LOOK_MS }).catch(() => undefined)
  }

  figures() {
    return { ...this.#counts, receivedMs: summarise(this.#milliseconds) }
  }

  /** Counts the deliveries of accepted events that did not arrive. @param accepted each: endpoints that every event must have reached */
  countMissing({ ids, each }: { ids: readonly string[]; each: number }): number {
    const paths = [...this.#byPath.values()]
    const missing = (id: string) => Math.max(0, each - paths.filter((arrived) => arrived.has(id)).length)
    return ids.reduce((sum, id) => sum + missing(id), 0)
  }
}
