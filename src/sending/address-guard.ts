import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { AllowedNetwork } from '../domain/net/addresses.ts'
import { hostOf, isDestination, portOf } from '../domain/webhook/url.ts'
import { startDeadline, type StepClock } from './deadline.ts'
import { isSilence, type Egress } from './egress.ts'
import type { EgressProxy } from './egress-proxy.ts'
import type { HostResolver } from './host-resolver.ts'
import { BlockedNameError, isBlockedAddress, SilentEndpointError, UnreachableError } from './failures.ts'
import { createOpenTls, untilReady } from './sockets.ts'

export type GuardOptions = {
  /** Milliseconds for TCP and TLS together. Resolving the name is not included. */
  readonly connectTimeoutMs: number
  /** Networks that may be reached although their addresses are not public. */
  readonly allowedNetworks: readonly AllowedNetwork[]
  /** Certificates (PEM) to trust in addition to the public certificates. */
  readonly ca?: string | undefined
  readonly resolver: Pick<HostResolver, 'resolve'>
  /**
   * Learns which endpoints answer, to find out whether our own network is down. Not used with a proxy, which reports
   * its own faults.
   */
  readonly egress: Pick<Egress, 'tries' | 'reached'>
  /** The operator's proxy. If present, all connections go through it. */
  readonly proxy?: Pick<EgressProxy, 'connect'> | undefined
}

/** The company of the endpoint, and the clock that measures the steps. */
type GuardedAttempt = { readonly companyId: string; readonly steps: Pick<StepClock, 'measure'> }

/** Where a connection goes, and for which company. `addresses`: the allowed addresses, including `first`. */
type Destination = {
  readonly companyId: string
  readonly host: string
  readonly port: number
  readonly addresses: readonly string[]
  readonly first: string
}

export type AddressGuard = ReturnType<typeof createAddressGuard>

/**
 * For every connection, the guard resolves the name anew and selects the allowed addresses. It connects only to these
 * addresses, and checks the peer's address before it sends the first byte. With a proxy, it asks the proxy for a tunnel
 * to one of these addresses. It always verifies the certificate against the host of the URL, and demands TLS 1.2 or
 * newer.
 */
export function createAddressGuard(options: GuardOptions) {
  const { allowedNetworks, connectTimeoutMs, ca, resolver, egress, proxy } = options
  const openTls = createOpenTls(ca)

  /** Opens a connection and measures its steps with `steps`. @throws UnreachableError, or WorkerFault where the fault is ours */
  async function connect(
    url: URL,
    signal: AbortSignal,
    { companyId, steps }: GuardedAttempt,
  ): Promise<TLSSocket> {
    const [host, port] = [hostOf(url), portOf(url)]
    const found =
      isIP(host) === 0 ? await steps.measure('dnsMs', () => resolver.resolve(host, signal)) : [host]
    const addresses = found.filter((address) => isDestination(address, port, allowedNetworks))
    const [first] = addresses
    if (first === undefined) throw refusalOf(host)
    const destination = { companyId, host, port, addresses, first }
    const deadline = startDeadline(connectTimeoutMs, signal)
    const open = () =>
      proxy ? openTunnel(proxy, destination, deadline.signal) : openTcp(destination, deadline.signal)
    try {
      const tcp = await steps.measure('connectMs', open)
      return await steps.measure('tlsMs', () => openTls(tcp, host, deadline.signal))
    } finally {
      deadline.clear()
    }
  }

  /** Opens a tunnel. If the proxy's rules refuse the address, the error is the same as when the guard refuses it. */
  const openTunnel = (
    by: Pick<EgressProxy, 'connect'>,
    { host, port, addresses }: Destination,
    signal: AbortSignal,
  ): Promise<Socket> =>
    by.connect(addresses, port, connectTimeoutMs, signal).catch((error: unknown) => {
      throw isBlockedAddress(error) ? refusalOf(host) : error
    })

  async function openTcp(
    { companyId, host, port, addresses, first }: Destination,
    signal: AbortSignal,
  ): Promise<Socket> {
    egress.tries(companyId, { address: first, port })
    const pinned = addresses.map((address) => ({ address, family: isIP(address) }))
    const socket = connectTcp({
      host,
      port,
      lookup: (_host, _options, callback) => callback(null, pinned),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.max(250, Math.floor(connectTimeoutMs / addresses.length)),
      noDelay: true,
    })
    await untilReady(socket, 'connect', 'connect_error', signal).catch((error: unknown) => {
      if (!(error instanceof UnreachableError) || !(signal.aborted || isSilence(error.cause))) throw error
      throw new SilentEndpointError(error.reason, { cause: error.cause })
    })
    const { remoteAddress } = socket
    if (remoteAddress !== undefined && isDestination(remoteAddress, port, allowedNetworks)) {
      egress.reached(companyId, { address: remoteAddress, port })
      return socket
    }
    socket.destroy()
    // Once a connection is closed, it has no peer address.
    throw remoteAddress === undefined ? new UnreachableError('connect_error') : refusalOf(host)
  }

  return { connect }
}

const refusalOf = (host: string): UnreachableError =>
  isIP(host) === 0 ? new BlockedNameError() : new UnreachableError('blocked_address')
