import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Deps } from '../../deps/deps.ts'
import { compileRanges, parseAddressRange } from '../../domain/net/addresses.ts'
import { clientAddress, isConfidential, isHttps, type Transport } from '../../domain/net/client-address.ts'

/** Where requests come from: their socket, and what the TRUSTED_PROXIES say about them. */
export type RequestOrigin = {
  /** The canonical address of the client. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Whether no network has seen the request in clear. */
  readonly isConfidential: (request: IncomingMessage) => boolean
  /** Whether the client spoke HTTPS, to us or to a trusted proxy. */
  readonly isHttps: (request: IncomingMessage) => boolean
}

/** Compiles the ranges of the trusted proxies once. */
export function createRequestOrigin({
  trustedProxies,
}: Pick<Deps['config'], 'trustedProxies'>): RequestOrigin {
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
    addressOf: (request) => clientAddress(originOf(request)),
    isConfidential: (request) => isConfidential(transportOf(request)),
    isHttps: (request) => isHttps(transportOf(request)),
  }
}

/** A client that has one IPv6 address usually has its whole /64. */
const IPV6_PREFIX_LENGTH = 64

/** What a limit per address counts: an IPv4 address, or the /64 of an IPv6 address. */
export const countedAddress = (address: string): string =>
  address.includes(':')
    ? (parseAddressRange(`${address}/${IPV6_PREFIX_LENGTH}`)?.address ?? address)
    : address
