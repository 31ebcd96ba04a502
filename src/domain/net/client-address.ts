import { canonicalAddress, compileRanges } from './addresses.ts'

/** Hops read from X-Forwarded-For; a longer chain is cut, so that a forged header costs nothing. */
const MAXIMUM_HOPS = 20

/** What is known of where a request came from. */
export type RequestOrigin = {
  /** The socket's remote address. */
  readonly peer: string
  /** The X-Forwarded-For header, its values joined by commas in order of arrival; undefined without one. */
  readonly forwardedFor: string | undefined
  /** Whether a canonical address is one of our own proxies; nobody is by default. */
  readonly isTrusted: (address: string) => boolean
}

/**
 * The canonical address of the client: the socket's peer. If that is a trusted proxy, it is the nearest address in
 * X-Forwarded-For that is no trusted proxy. The header is read from right to left: each proxy appends the peer it saw,
 * and everything further left may be forged. An entry that is no plain address ends the search and the last good one
 * counts; so does the last of 20 entries. A peer that is no address (a Unix socket) is returned as it is, never trusted.
 */
export function clientAddress({ peer, forwardedFor, isTrusted }: RequestOrigin): string {
  let current = canonicalAddress(peer)
  if (current === undefined) return peer
  for (const entry of (forwardedFor ?? '').split(',').slice(-MAXIMUM_HOPS).reverse()) {
    if (!isTrusted(current)) break
    const hop = canonicalAddress(entry.trim())
    if (hop === undefined) break
    current = hop
  }
  return current
}

/** The machine itself: 127.0.0.0/8 (RFC 1122, 3.2.1.3) and ::1 (RFC 4291, 2.5.3). */
export const isLoopback = compileRanges([
  { address: '127.0.0.0', prefixLength: 8 },
  { address: '::1', prefixLength: 128 },
])

/** What is known of how a request came to us. */
export type Transport = Pick<RequestOrigin, 'peer' | 'isTrusted'> & {
  /** Whether our own socket speaks TLS. */
  readonly isEncrypted: boolean
  /** The X-Forwarded-Proto header: the protocol before each proxy, the client's own first; empty without the header. */
  readonly forwardedProto: string
}

/**
 * Whether no network has seen the request in clear. It came by TLS or from the machine itself; or it came from a trusted
 * proxy that ended TLS before us and does not say that its client spoke plain HTTP.
 */
export function isConfidential(transport: Transport): boolean {
  const { peer, isTrusted, isEncrypted } = transport
  return isTrusted(peer) ? clientProtocol(transport) !== 'http' : isEncrypted || isLoopback(peer)
}

/** Whether the client used HTTPS, to us or to a trusted proxy that says so. */
export const isHttps = (transport: Transport): boolean =>
  transport.isEncrypted || (transport.isTrusted(transport.peer) && clientProtocol(transport) === 'https')

const clientProtocol = ({ forwardedProto }: Transport): string | undefined =>
  forwardedProto.split(',')[0]?.trim().toLowerCase()
