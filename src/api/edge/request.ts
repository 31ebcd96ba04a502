import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Deps } from '../../deps/deps.ts'
import { compileRanges, parseAddressRange } from '../../domain/net/addresses.ts'
import { clientAddress, isConfidential, isHttps, type Transport } from '../../domain/net/client-address.ts'

/**
 * Finds out where a request comes from: its socket, or the headers of a trusted proxy (TRUSTED_PROXIES). It compiles the
 * ranges of the proxies once.
 */
export function createRequestOrigin({ trustedProxies }: Pick<Deps['config'], 'trustedProxies'>) {
  const isTrusted = compileRanges(trustedProxies)
  const originOf = (request: IncomingMessage) => ({
    peer: request.socket.remoteAddress ?? '',
    forwardedFor: request.headers['x-forwarded-for']?.toString(),
    isTrusted,
  })
  const transportOf = (request: IncomingMessage): Transport => ({
    ...originOf(request),
    isEncrypted: (request.socket as Partial<TLSSocket>).encrypted === true,
    forwardedProto: request.headers['x-forwarded-proto']?.toString() ?? '',
  })
  return {
    /** The canonical address of the client. */
    addressOf: (request: IncomingMessage): string => clientAddress(originOf(request)),
    /** Whether the request crossed every network encrypted. */
    isConfidential: (request: IncomingMessage): boolean => isConfidential(transportOf(request)),
    /** Whether the client spoke HTTPS, to us or to a trusted proxy. */
    isHttps: (request: IncomingMessage): boolean => isHttps(transportOf(request)),
  }
}

/** A client that has one IPv6 address usually has its whole /64. */
const IPV6_PREFIX_LENGTH = 64

/** The subject of a limit per address: an IPv4 address, or the /64 of an IPv6 address. */
export const countedAddress = (address: string): string =>
  address.includes(':')
    ? (parseAddressRange(`${address}/${IPV6_PREFIX_LENGTH}`)?.address ?? address)
    : address

/** Every value of a header, in order. Node's `headers` keeps one of them, or joins them, so repeats are hidden there. */
export const headerValues = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
