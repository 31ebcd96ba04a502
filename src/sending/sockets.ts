import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls'
import { UnreachableError, WorkerFault, workerFaultIn } from './failures.ts'

/** Speaks TLS over an open connection. It verifies the certificate against `host`. @throws what `untilReady` throws */
export type OpenTls = (socket: Socket, host: string, signal: AbortSignal) => Promise<TLSSocket>

/**
 * Always verifies certificates, and asks for TLS 1.2 or newer.
 *
 * @param ca certificates (PEM) to trust beside the public ones
 */
export function createOpenTls(ca: string | undefined): OpenTls {
  // Made once for all connections. `ca` replaces the public certificates, so the list names those too.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  })
  return async (socket, host, signal) => {
    const secure = connectTls({
      socket,
      secureContext,
      host,
      // RFC 6066 forbids addresses as server names; the certificate is then checked against `host`.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      // Named because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
      rejectUnauthorized: true,
    })
    await untilReady(secure, 'secureConnect', 'tls_error', signal)
    return secure
  }
}

/**
 * Waits for the event; on an error, or when the time is over, it destroys the socket.
 *
 * @throws WorkerFault when the error is our own fault, otherwise UnreachableError
 */
export async function untilReady(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  reason: 'connect_error' | 'tls_error',
  signal: AbortSignal,
): Promise<void> {
  // Without a listener, a later error on an idle connection would end the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, event, { signal })
  } catch (cause) {
    socket.destroy()
    const fault = workerFaultIn(cause)
    if (fault !== undefined) throw new WorkerFault(fault, { cause })
    throw new UnreachableError(signal.aborted ? 'connect_timeout' : reason, { cause })
  }
}
