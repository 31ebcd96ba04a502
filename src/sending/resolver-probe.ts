import { promises as dns } from 'node:dns'
import { setTimeout as delay } from 'node:timers/promises'

const QUERY_TIMEOUT_MS = 1_000
const QUERY_TRIES = 2
/** Whatever the number of name servers; a living one answers from its memory. */
const LIMIT_MS = 3_000
/** How long «it lives» holds: a resolver may die right behind its answer, and then endpoints must not be blamed. */
const UP_FOR_MS = 250
/** How long «it is dead» holds: it costs endpoints nothing, and a dead resolver is asked seldom. */
const DOWN_FOR_MS = 5_000

/** Codes of c-ares that say that a name server answered, if only that it has no such name or does not serve us. */
const ANSWERS: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'ENODATA', 'EREFUSED'],
  ...['EFORMERR', 'ENOTIMP', 'EBADNAME', 'EBADQUERY', 'EBADRESP'],
])

/**
 * Whether a failed lookup was answered all the same. No answer is what a dead resolver and a customer's broken zone have
 * in common; SERVFAIL is what a resolver says of a zone that it cannot reach, and of every name when it reaches nothing.
 */
export const isAnswer = (error: unknown): boolean =>
  ANSWERS.has(String((error as { code?: unknown } | undefined)?.code))

/**
 * Finds out whether the resolver lives, by a query that every living one answers: who serves the root zone. Where no root
 * zone can be reached, «refused» and «no such name» count as life too. Queries are shared, and answers kept for a moment.
 */
export class ResolverProbe {
  readonly #resolver: dns.Resolver
  #latest: Promise<boolean> | undefined
  #wasUp = true

  /** @param servers name servers as `address:port`; the system's when undefined */
  constructor(servers?: readonly string[]) {
    this.#resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
    if (servers) this.#resolver.setServers(servers)
  }

  /** What the latest answer said; true before the first. */
  get wasUp(): boolean {
    return this.#wasUp
  }

  /** Whether the resolver lives now. */
  isUp(): Promise<boolean> {
    return (this.#latest ??= this.#ask())
  }

  async #ask(): Promise<boolean> {
    const query = this.#resolver.resolveNs('.').then(() => true, isAnswer)
    this.#wasUp = await Promise.race([query, delay(LIMIT_MS, false, { ref: false })])
    const forget = () => (this.#latest = undefined)
    setTimeout(forget, this.#wasUp ? UP_FOR_MS : DOWN_FOR_MS).unref()
    return this.#wasUp
  }
}
