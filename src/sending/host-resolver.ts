import { promises as dns } from 'node:dns'
import { setTimeout as delay } from 'node:timers/promises'
import { within } from './deadline.ts'
import { isAnswer, ResolverProbe, type ProbeTimes } from './resolver-probe.ts'
import { UnreachableError } from './failure-reason.ts'
import { WorkerFault } from './worker-fault.ts'

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2
const MAXIMUM_ANSWERS = 16
/** Once the addresses of one IP version are known, how long to wait for the other (RFC 8305, section 3, but longer). */
const RESOLUTION_DELAY_MS = 250

/** Name servers should not know localhost (RFC 6761), and this resolver does not read the hosts file. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1']

export type HostResolver = {
  /**
   * Gives at most 16 addresses, IPv4 first.
   *
   * @param signal ends the wait for an answer
   * @throws UnreachableError `dns_error` when the name has no address, or its zone does not answer; WorkerFault `resolver`
   *   when the name servers answer nothing at all
   */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<string[]>
  /** Whether the name servers answered the latest probe. If they did not, starts a new one and does not wait for it. */
  readonly isUp: () => boolean
}

/**
 * Resolves names with c-ares, which blocks no thread; getaddrinfo shares Node's four with everything else. Nothing is
 * cached, so every connection uses the addresses that the name has now.
 *
 * @param servers name servers as `address:port`; the system's when undefined
 * @param times of the probe; shorter in tests
 */
export function createHostResolver(servers?: readonly string[], times?: ProbeTimes): HostResolver {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers) resolver.setServers(servers)
  const probe = new ResolverProbe(servers, times)

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

  function isUp(): boolean {
    if (!probe.wasUp) void probe.isUp()
    return probe.wasUp
  }

  return { resolve, isUp }
}

type Lookup = { readonly addresses: string[]; readonly errors: readonly unknown[] }

/** Gives the IPv4 and IPv6 addresses in the order of the queries, and the errors of queries that failed. */
async function bothIpVersions(queries: readonly Promise<string[]>[]): Promise<Lookup> {
  const answers: string[][] = queries.map(() => [])
  const errors: unknown[] = []
  const kept = queries.map(async (query, index) => {
    answers[index] = await query
  })
  for (const query of kept) query.catch((error: unknown) => errors.push(error))
  const firstAnswered = Promise.any(kept).then(() => delay(RESOLUTION_DELAY_MS))
  // When both queries fail, `errors` has both and the addresses are empty.
  await Promise.race([Promise.allSettled(kept), firstAnswered.catch(() => undefined)])
  return { addresses: answers.flat(), errors }
}
