import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Middleware } from 'koa'
import type { Deps } from '../../deps/deps.ts'
import { compileRanges, parseAddressRange } from '../../domain/net/addresses.ts'
import { clientAddress, isConfidential, isHttps, type Transport } from '../../domain/net/client-address.ts'
import { ApiError } from '../../domain/errors.ts'

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

const YEAR_S = 31_536_000

/**
 * Headers of JSON answers: no answer is sniffed or framed, and none is cached unless a route says so. HSTS is added if
 * the client used HTTPS, to us or to a trusted proxy. Browsers ignore it in an answer over plain HTTP (RFC 6797,
 * section 7.2).
 */
export function securityHeaders(config: Pick<Deps['config'], 'trustedProxies'>): Middleware {
  const { isHttps } = createRequestOrigin(config)
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Cache-Control', 'no-store')
    ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
    if (isHttps(ctx.req)) {
      ctx.set('Strict-Transport-Security', `max-age=${YEAR_S}; includeSubDomains`)
    }
    await next()
  }
}

/**
 * Specification (API keys): keys are sent only over HTTPS. Refuses a request that reached a public HOST without passing the
 * proxies that end TLS, and one that reached those proxies unencrypted. It does not redirect, because a redirected client
 * would work, and go on sending its key unencrypted (OWASP ASVS 5.0, 4.1.2).
 *
 * @throws ApiError INVALID_REQUEST
 */
export function requireHttps(config: Pick<Deps['config'], 'trustedProxies'>): Middleware {
  const { isConfidential } = createRequestOrigin(config)
  return async (ctx, next) => {
    if (!isConfidential(ctx.req)) throw new ApiError('INVALID_REQUEST', 'Use HTTPS.')
    await next()
  }
}
