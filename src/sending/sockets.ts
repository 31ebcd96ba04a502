import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates, type TLSSocket } from 'node:tls'
import { UnreachableError, WorkerFault, workerFaultIn } from './failures.ts'

/** Opens TLS over an open connection and verifies the certificate against `host`. @throws the errors of `untilReady` */
export type OpenTls = (socket: Socket, host: string, signal: AbortSignal) => Promise<TLSSocket>

/**
 * Makes the function that opens TLS. It always verifies certificates, and refuses versions below TLS 1.2.
 *
 * @param ca certificates (PEM) to trust in addition to the public certificates
 */
export function createOpenTls(ca: string | undefined): OpenTls {
  // Made once for all connections. In Node `ca` replaces the public certificates, so the list contains them too.
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  })
  return async (socket, host, signal) => {
    const secure = connectTls({
      socket,
      secureContext,
      host,
      // RFC 6066 forbids addresses as server names. Without a server name, Node checks the certificate against `host`.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED can change the default.
      rejectUnauthorized: true,
    })
    await untilReady(secure, 'secureConnect', 'tls_error', signal)
    return secure
  }
}

/**
 * Waits for the event. Destroys the socket on an error, and when the signal is aborted.
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
