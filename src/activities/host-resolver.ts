import { promises as dns } from 'node:dns'
import { setTimeout as delay } from 'node:timers/promises'
import { UnreachableError } from './unreachable-error.js'

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2
const MAXIMUM_ANSWERS = 16
/** How long a slow family is waited for once the other has answered (RFC 8305, section 3, with room for a slow resolver). */
const RESOLUTION_DELAY_MS = 250

/** Name servers know nothing of localhost (RFC 6761), and the hosts file is not read here. */
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1']

export type ResolveHost = (host: string) => Promise<string[]>

/**
 * Resolves names by c-ares, which keeps no thread waiting (getaddrinfo shares four with everything else), and keeps no
 * cache, so that every connect is judged by what the name says now.
 *
 * @param servers name servers as `address:port`; the system's when undefined
 * @returns a function that gives at most 16 addresses, IPv4 first, and throws UnreachableError `dns_error` for none
 */
export function createHostResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers) resolver.setServers(servers)
  return async (host) => {
    if (host === 'localhost') return LOCALHOST_ADDRESSES
    const [ipv4, ipv6] = await bothFamilies(resolver.resolve4(host), resolver.resolve6(host))
    const addresses = [...ipv4, ...ipv6].slice(0, MAXIMUM_ANSWERS)
    if (addresses.length === 0) throw new UnreachableError('dns_error')
    return addresses
  }
}

async function bothFamilies(...queries: readonly Promise<string[]>[]): Promise<[string[], string[]]> {
  const answers: [string[], string[]] = [[], []]
  const kept = queries.map(async (query, family) => {
    answers[family] = await query
  })
  const firstAnswered = Promise.any(kept).then(() => delay(RESOLUTION_DELAY_MS))
  // When neither family answers, both outcomes are in and the empty answers say so.
  await Promise.race([Promise.allSettled(kept), firstAnswered.catch(() => undefined)])
  return answers
}
