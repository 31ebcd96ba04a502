import { canonicalAddress, compileRanges } from './addresses.ts'

/** We read at most this many entries of X-Forwarded-For. The limit keeps a forged header cheap. */
const MAXIMUM_HOPS = 20

/** A request that may have come through proxies: its peer, and what they added. */
type ForwardedRequest = {
  /** The socket's remote address. */
  readonly peer: string
  /** The X-Forwarded-For header, its values joined by commas in order of arrival; undefined without one. */
  readonly forwardedFor: string | undefined
  /** Whether a canonical address is one of our own proxies. By default no address is. */
  readonly isTrusted: (address: string) => boolean
}

/**
 * The canonical address of the client. If the socket's peer is not a trusted proxy, the peer is the client. Otherwise
 * the client is the nearest address in X-Forwarded-For that is not a trusted proxy. We read the header from right to
 * left, because each proxy appends the peer it saw, and everything further left may be forged. The search ends at an
 * entry that is not an address, or after 20 entries. Then the last address that was read is the client's. A peer that
 * is not an address (a Unix socket) is returned as it is, and never trusted.
 */
export const clientAddress = (origin: ForwardedRequest): string => walkBack(origin).address

/** The address of the client, and how many entries of X-Forwarded-For lead to it. */
function walkBack({ peer, forwardedFor, isTrusted }: ForwardedRequest): { address: string; hops: number } {
  let address = canonicalAddress(peer)
  if (address === undefined) return { address: peer, hops: 0 }
  let hops = 0
  // Stryker disable next-line StringLiteral: another text has the same effect, unless it is an address
  for (const entry of (forwardedFor ?? '').split(',').slice(-MAXIMUM_HOPS).reverse()) {
    if (!isTrusted(address)) break
    const hop = canonicalAddress(withoutPort(entry.trim()))
    if (hop === undefined) break
    address = hop
    hops += 1
  }
  return { address, hops }
}

/**
 * Takes the port and the brackets off `192.0.2.1:5678`, `[2001:db8::1]:5678` and `[2001:db8::1]`. Other texts stay as they are.
 */
const withoutPort = (entry: string): string =>
  entry.replace(/^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i, '$1$2')

/** Whether an address is this machine itself: 127.0.0.0/8 (RFC 1122, 3.2.1.3) and ::1 (RFC 4291, 2.5.3). */
export const isLoopback = compileRanges([
  { address: '127.0.0.0', prefixLength: 8 },
  { address: '::1', prefixLength: 128 },
])

/** How a request reached us, as far as we know. */
export type Transport = ForwardedRequest & {
  /** Whether our own socket speaks TLS. */
  readonly isEncrypted: boolean
  /**
   * The X-Forwarded-Proto header: the protocol by which each proxy was called, our nearest proxy last. Empty without the header.
   */
  readonly forwardedProto: string
}

/**
 * Whether nobody on a network can have read the request. We assume this for a request through a trusted proxy, unless
 * the proxy says that its client used plain HTTP. Any other request must have come by TLS, or from this machine.
 */
export function isConfidential(transport: Transport): boolean {
  const { peer, isTrusted, isEncrypted } = transport
  return isTrusted(peer) ? clientProtocol(transport) !== 'http' : isEncrypted || isLoopback(peer)
}

/** Whether the client used HTTPS, to us or to a trusted proxy that says so. */
export const isHttps = (transport: Transport): boolean =>
  transport.isEncrypted || (transport.isTrusted(transport.peer) && clientProtocol(transport) === 'https')

/**
 * The protocol by which the farthest trusted proxy was called. As in X-Forwarded-For, values further left may be forged. There
 * may be fewer values than hops, because a proxy may pass on the value that it got. The first value then counts.
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
