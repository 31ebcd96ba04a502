import { canonicalAddress, compileRanges } from './addresses.ts'

/** Hops read from X-Forwarded-For; a longer chain is cut, so that a forged header costs nothing. */
const MAXIMUM_HOPS = 20

/** A request that may have come through proxies: its peer, and what they added. */
type ForwardedRequest = {
  /** The socket's remote address. */
  readonly peer: string
  /** The X-Forwarded-For header, its values joined by commas in order of arrival; undefined without one. */
  readonly forwardedFor: string | undefined
  /** Whether a canonical address is one of our own proxies. By default there are none. */
  readonly isTrusted: (address: string) => boolean
}

/**
 * The canonical address of the client: the socket's peer. If that is a trusted proxy, it is the nearest address in
 * X-Forwarded-For that is no trusted proxy. The header is read from right to left: each proxy appends the peer it saw,
 * and everything further left may be forged. The search ends at an entry that is no address, and after 20 entries;
 * then the last good one counts. A peer that is no address (a Unix socket) is returned as it is, never trusted.
 */
export const clientAddress = (origin: ForwardedRequest): string => walkBack(origin).address

/** The address of the client, and how many entries of X-Forwarded-For lead to it. */
function walkBack({ peer, forwardedFor, isTrusted }: ForwardedRequest): { address: string; hops: number } {
  let address = canonicalAddress(peer)
  if (address === undefined) return { address: peer, hops: 0 }
  let hops = 0
  // Stryker disable next-line StringLiteral: any text that is no address does
  for (const entry of (forwardedFor ?? '').split(',').slice(-MAXIMUM_HOPS).reverse()) {
    if (!isTrusted(address)) break
    const hop = canonicalAddress(withoutPort(entry.trim()))
    if (hop === undefined) break
    address = hop
    hops += 1
  }
  return { address, hops }
}

/** The address in `192.0.2.1:5678`, `[2001:db8::1]:5678` and `[2001:db8::1]`, as some proxies write it; other texts as they are. */
const withoutPort = (entry: string): string =>
  entry.replace(/^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i, '$1$2')

/** Whether an address is this machine itself: 127.0.0.0/8 (RFC 1122, 3.2.1.3) and ::1 (RFC 4291, 2.5.3). */
export const isLoopback = compileRanges([
  { address: '127.0.0.0', prefixLength: 8 },
  { address: '::1', prefixLength: 128 },
])

/** What is known of how a request came to us. */
export type Transport = ForwardedRequest & {
  /** Whether our own socket speaks TLS. */
  readonly isEncrypted: boolean
  /** The X-Forwarded-Proto header: the protocol before each proxy, the nearest one last; empty without the header. */
  readonly forwardedProto: string
}

/**
 * Whether no network has seen the request in clear. It came by TLS or from the machine itself. Or a trusted proxy ended
 * TLS before us, and does not say that its client spoke plain HTTP.
 */
export function isConfidential(transport: Transport): boolean {
  const { peer, isTrusted, isEncrypted } = transport
  return isTrusted(peer) ? clientProtocol(transport) !== 'http' : isEncrypted || isLoopback(peer)
}

/** Whether the client used HTTPS, to us or to a trusted proxy that says so. */
export const isHttps = (transport: Transport): boolean =>
  transport.isEncrypted || (transport.isTrusted(transport.peer) && clientProtocol(transport) === 'https')

/**
 * The protocol that the farthest trusted proxy saw. As in X-Forwarded-For, what stands further left may be forged. A
 * proxy may pass on the value that it got, so there may be fewer values than hops. Then the first one counts.
 */
function clientProtocol({ forwardedProto, ...origin }: Transport): string | undefined {
  const values = forwardedProto.split(',')
  const { hops } = walkBack(origin)
  // Stryker disable next-line OptionalChaining: there is a value; this is for the compiler
  return values
    .at(-Math.min(Math.max(hops, 1), values.length))
    ?.trim()
    .toLowerCase()
}
