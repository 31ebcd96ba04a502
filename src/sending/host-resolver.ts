import { promises as dns } from 'node:dns'
import { setTimeout as delay } from 'node:timers/promises'
import { within as withinMs } from '../domain/within.ts'
import { within } from './deadline.ts'
import { UnreachableError, WorkerFault } from './failures.ts'

const QUERY = { timeout: 2_000, tries: 2 }
const MAXIMUM_ANSWERS = 16
/** How long to wait for the addresses of the second IP version after the first came (RFC 8305, section 3, but longer). */
const RESOLUTION_DELAY_MS = 250

/** Name servers should not know localhost (RFC 6761), and this resolver does not read the hosts file. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1']

export type HostResolver = ReturnType<typeof createHostResolver>

/**
 * Resolves names with c-ares, which blocks no thread; getaddrinfo would block one of the four threads of Node's pool.
 * Nothing is cached, so every connection uses the addresses that the name has now.
 *
 * @param servers name servers as `address:port`. If undefined, the name servers of the system
 * @param times the times of the probe. Tests use shorter times
 */
export function createHostResolver(servers?: readonly string[], times?: ProbeTimes) {
  const resolver = resolverOf(servers, QUERY)
  const probe = new ResolverProbe(servers, times)

  /**
   * Returns at most 16 addresses, IPv4 first.
   *
   * @param signal ends the wait for an answer
   * @throws UnreachableError `dns_error` when the name has no address, or its zone does not answer; WorkerFault `resolver`
   *   when the name servers answer nothing at all
   */
  async function resolve(host: string, signal: AbortSignal): Promise<string[]> {
    if (host === 'localhost') return LOCALHOST_ADDRESSES
    const queries = [resolver.resolve4(host), resolver.resolve6(host)]
    const { addresses, errors } = await within(signal, bothIpVersions(queries)).catch((error: unknown) => ({
      addresses: [],
      errors: [error],
    }))
    if (addresses.length > 0) return addresses.slice(0, MAXIMUM_ANSWERS)
    const [unanswered] = errors.filter((error) => !isAnswer(error))
    if (unanswered !== undefined && !(await probe.isUp())) {
      throw new WorkerFault('resolver', { cause: unanswered })
    }
    throw new UnreachableError('dns_error', { cause: errors[0] })
  }

  /** Whether the name servers answered the latest probe. If not, starts a new probe and does not wait for its result. */
  function isUp(): boolean {
    if (!probe.wasUp) void probe.isUp()
    return probe.wasUp
  }

  return { resolve, isUp }
}

function resolverOf(servers: readonly string[] | undefined, query: typeof QUERY): dns.Resolver {
  const resolver = new dns.Resolver(query)
  if (servers) resolver.setServers(servers)
  return resolver
}

/** Returns the IPv4 and IPv6 addresses in the order of the queries, and the errors of queries that failed. */
async function bothIpVersions(queries: readonly Promise<string[]>[]) {
  const answers: string[][] = queries.map(() => [])
  const errors: unknown[] = []
  const kept = queries.map(async (query, index) => {
    answers[index] = await query
  })
  for (const query of kept) query.catch((error: unknown) => errors.push(error))
  const firstAnswered = Promise.any(kept).then(() => delay(RESOLUTION_DELAY_MS))
  // When both queries fail, `errors` has both errors and there are no addresses.
  await Promise.race([Promise.allSettled(kept), firstAnswered.catch(() => undefined)])
  return { addresses: answers.flat(), errors }
}

/** Error codes of c-ares that mean that a name server answered, for example that it refuses or lacks the name. */
const ANSWERS: ReadonlySet<string> = new Set([
  ...['ENOTFOUND', 'ENODATA', 'EREFUSED'],
  ...['EFORMERR', 'ENOTIMP', 'EBADNAME', 'EBADQUERY', 'EBADRESP'],
])

/**
 * Whether a name server answered a lookup that failed. A missing answer proves nothing, and neither does SERVFAIL. A
 * dead resolver gives no answer, but neither does a customer's broken zone. A resolver answers SERVFAIL for a zone that
 * it cannot reach, but also for every name when it cannot reach any server.
 */
const isAnswer = (error: unknown): boolean =>
  ANSWERS.has(String((error as { code?: unknown } | undefined)?.code))

/** How long a query of a probe waits, and how long a bad result is kept, in milliseconds. */
type ProbeTimes = { readonly queryTimeoutMs: number; readonly downForMs: number }

/** While a bad result is kept, deliveries spend no attempts, and the resolver in trouble gets no further probe. */
const PROBE_TIMES: ProbeTimes = { queryTimeoutMs: 1_000, downForMs: 5_000 }
/** The time limit of a probe, for any number of name servers. A working server answers much sooner, from its cache. */
const PROBE_LIMIT_MS = 3_000
/** How long a good result is kept. It is short: endpoints must not be blamed when the resolver stops soon after. */
const UP_FOR_MS = 250

/**
 * Finds out whether the resolver works, by asking for the name servers of the root zone. Every working resolver can
 * answer this query. In networks without a root zone, «refused» and «no such name» count as answers too. Callers share
 * a query, and its result is kept for a moment.
 */
class ResolverProbe {
  readonly #resolver: dns.Resolver
  readonly #downForMs: number
  #latest: Promise<boolean> | undefined
  /** The result of the latest probe, or true before the first probe. */
  wasUp = true

  constructor(servers: readonly string[] | undefined, { queryTimeoutMs, downForMs } = PROBE_TIMES) {
    this.#downForMs = downForMs
    this.#resolver = resolverOf(servers, { ...QUERY, timeout: queryTimeoutMs })
  }

  /** Whether the resolver works. Asks the resolver if no earlier result is kept. */
  isUp(): Promise<boolean> {
    return (this.#latest ??= this.#ask())
  }

  async #ask(): Promise<boolean> {
    const query = this.#resolver.resolveNs('.').then(() => true, isAnswer)
    this.wasUp = await withinMs(PROBE_LIMIT_MS, query, () => false)
    const forget = () => (this.#latest = undefined)
    setTimeout(forget, this.wasUp ? UP_FOR_MS : this.#downForMs).unref()
    return this.wasUp
  }
}
