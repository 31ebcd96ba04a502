import { connect } from 'node:net'
import { setLatest } from '../domain/buffers.ts'

/** The address and port of a connection to an endpoint, whether or not the connection succeeded. */
type Destination = { readonly address: string; readonly port: number }

/** How long a connection or a good probe proves that our network works. */
const FRESH_MS = 1_000
/** How long a bad probe counts. During this time unreachable endpoints are our fault, so that deliveries spend no attempts. */
const DOWN_FOR_MS = 5_000
const PROBE_MS = 2_000
/**
 * A probe needs destinations of at least this many other companies. With fewer, we cannot tell whose fault a silence
 * is, so it counts as the endpoint's failure.
 */
const FEWEST_OTHERS = 2
const MOST_PROBED = 8
/** The destinations of at most this many companies are remembered. */
const MOST_REMEMBERED = 64

/** Error codes of a connection that nobody answered. A refused connection is not one of them, because a host answered. */
const SILENT: ReadonlySet<unknown> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'ETIMEDOUT'])

/** Whether nothing came back from any address that was tried. */
export function isSilence(error: unknown): boolean {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  return errors.every((each) => SILENT.has((each as { code?: unknown } | undefined)?.code))
}

/**
 * Tells whether our own network is down when an endpoint could not be reached. The network is down if this worker
 * reached no endpoint within the last second, and a probe of up to 8 destinations gets no answer. Each destination
 * belongs to a different company, so a company with many dead endpoints counts once.
 */
export class Egress {
  /** The latest destinations by company, the oldest first. */
  readonly #reached = new Map<string, Destination>()
  readonly #tried = new Map<string, Destination>()
  #reachedAtMs = -Infinity
  #wasUp = true
  #probe: Promise<boolean> | undefined

  /** Call it before each connection to an endpoint of the company. */
  tries(companyId: string, destination: Destination): void {
    if (!this.#reached.has(companyId)) setLatest(this.#tried, companyId, destination, MOST_REMEMBERED)
  }

  /** Call it after a connection to an endpoint of the company has opened. */
  reached(companyId: string, destination: Destination): void {
    setLatest(this.#reached, companyId, destination, MOST_REMEMBERED)
    this.#tried.delete(companyId)
    this.#reachedAtMs = performance.now()
    if (!this.#wasUp) this.#probe = undefined
    this.#wasUp = true
  }

  /** Call it when nothing came back from an endpoint of the company. @returns whether our network is down */
  async isDown(companyId: string): Promise<boolean> {
    if (performance.now() - this.#reachedAtMs < FRESH_MS) return false
    const others = this.#others(companyId)
    if (others.length < FEWEST_OTHERS) return false
    return !(await (this.#probe ??= this.#ask(others)))
  }

  /** Whether the latest probe reached a destination. If not, starts a new probe and does not wait for its result. */
  isUp(): boolean {
    if (!this.#wasUp) this.#probe ??= this.#ask(this.#others())
    return this.#wasUp
  }

  /** Returns up to 8 destinations of other companies. Destinations that this worker reached lately have precedence. */
  #others(companyId?: string): Destination[] {
    return [...this.#tried, ...this.#reached]
      .filter(([id]) => id !== companyId)
      .slice(-MOST_PROBED)
      .map(([, destination]) => destination)
  }

  async #ask(destinations: readonly Destination[]): Promise<boolean> {
    const isUp = await Promise.any(destinations.map(answers)).then(
      () => true,
      () => false,
    )
    this.#wasUp = isUp || performance.now() - this.#reachedAtMs < FRESH_MS
    setTimeout(() => (this.#probe = undefined), this.#wasUp ? FRESH_MS : DOWN_FOR_MS).unref()
    return this.#wasUp
  }
}

/** Resolves when anything comes back: a connection, which this function closes at once, or a refusal. */
function answers({ address, port }: Destination): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, timeout: PROBE_MS })
    socket.once('connect', () => resolve())
    socket.once('timeout', () => reject(new Error('nothing came back in time')))
    socket.on('error', (error) => (isSilence(error) ? reject(error) : resolve()))
    for (const event of ['connect', 'timeout'] as const) socket.once(event, () => socket.destroy())
  })
}
