import { EventEmitter, once } from 'node:events'
import type { ReceivedRequest } from './receiver.ts'

/** Keeps what arrived at each path and wakes those who wait for it. */
export class Arrivals {
  readonly #requests = new Map<string, ReceivedRequest[]>()
  /** How many requests of each path next() handed out. */
  readonly #taken = new Map<string, number>()
  /** An event for each request, by its path. */
  readonly #added = new EventEmitter().setMaxListeners(0)

  /** In the order of arrival. */
  to(path: string): ReceivedRequest[] {
    return [...(this.#requests.get(path) ?? [])]
  }

  add(request: ReceivedRequest): void {
    const requests = this.#requests.get(request.path) ?? []
    this.#requests.set(request.path, requests)
    requests.push(request)
    this.#added.emit(request.path)
  }

  /**
   * All requests to the path, once there are `count`.
   *
   * @throws Error when the time is over
   */
  async atLeast(path: string, count: number, timeoutMs: number): Promise<ReceivedRequest[]> {
    const signal = AbortSignal.timeout(timeoutMs)
    for (;;) {
      const requests = this.to(path)
      if (requests.length >= count) return requests
      await once(this.#added, path, { signal }).catch((cause: unknown) => {
        const got = `${path} got ${requests.length} of ${count} expected requests`
        throw new Error(`${got} within ${timeoutMs} ms`, { cause })
      })
    }
  }

  /** The first request that no earlier call was given. */
  async next(path: string, timeoutMs: number): Promise<ReceivedRequest> {
    const index = this.#taken.get(path) ?? 0
    this.#taken.set(path, index + 1)
    return (await this.atLeast(path, index + 1, timeoutMs))[index]!
  }
}
