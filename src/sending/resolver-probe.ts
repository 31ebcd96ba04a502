import { promises as dns } from 'node:dns'
import { within } from '../domain/within.ts'

const QUERY_TIMEOUT_MS = 1_000
const QUERY_TRIES = 2
/** Limit of a probe, whatever the number of name servers. A working one answers from its cache, well within it. */
const LIMIT_MS = 3_000
/** How long a good result is kept. Short, because endpoints must not be blamed when the resolver stops right after it. */
const UP_FOR_MS = 250
/**
 * How long a bad result is kept, so that a resolver in trouble is not asked more often. Deliveries spend no attempts
 * meanwhile.
 */
const DOWN_FOR_MS = 5_000

/** Error codes of c-ares that mean that a name server answered, for example that it refuses or lacks the name. */
const ANSWERS: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'ENODATA', 'EREFUSED'],
  ...['EFORMERR', 'ENOTIMP', 'EBADNAME', 'EBADQUERY', 'EBADRESP'],
])

/**
 * Whether a name server answered a lookup that failed. No answer and SERVFAIL prove nothing. A lookup gets no answer
 * from a dead resolver, but also from a customer's broken zone. A resolver says SERVFAIL of a zone that it cannot reach,
 * but also of every name when it reaches nothing.
 */
export const isAnswer = (error: unknown): boolean =>
  ANSWERS.has(String((error as { code?: unknown } | undefined)?.code))

export type ProbeTimes = { readonly queryTimeoutMs?: number; readonly downForMs?: number }

/**
 * Finds out whether the resolver works, by asking who serves the root zone: every working resolver can answer that. Where
 * no root zone can be reached, «refused» and «no such name» count as answers too. Callers share a query, and its result
 * is kept for a moment.
 */
export class ResolverProbe {
  readonly #resolver: dns.Resolver
  readonly #downForMs: number
  #latest: Promise<boolean> | undefined
  #wasUp = true

  /**
   * @param servers name servers as `address:port`; the system's when undefined
   * @param times shorter in tests: how long a query waits, and how long a bad result is kept
   */
  constructor(servers?: readonly string[], times: ProbeTimes = {}) {
    const { queryTimeoutMs = QUERY_TIMEOUT_MS, downForMs = DOWN_FOR_MS } = times
    this.#downForMs = downForMs
    this.#resolver = new dns.Resolver({ timeout: queryTimeoutMs, tries: QUERY_TRIES })
    if (servers) this.#resolver.setServers(servers)
  }

  /** Result of the latest probe; true before the first. */
  get wasUp(): boolean {
    return this.#wasUp
  }

  /** Whether the resolver works; asks it unless a result is kept. */
  isUp(): Promise<boolean> {
    return (this.#latest ??= this.#ask())
  }

  async #ask(): Promise<boolean> {
    const query = this.#resolver.resolveNs('.').then(() => true, isAnswer)
    this.#wasUp = await within(LIMIT_MS, query, () => false)
    const forget = () => (this.#latest = undefined)
    setTimeout(forget, this.#wasUp ? UP_FOR_MS : this.#downForMs).unref()
    return this.#wasUp
  }
}
