import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as the server received it, with its envelope and whole text. */
type ReceivedMail = { readonly to: readonly string[]; readonly raw: string }

/**
 * Starts a real SMTP server on loopback. It refuses the recipients of `unknown.example` with 550, and those of
 * `busy.example` with 451.
 *
 * @param options such as `secure` with `key` and `cert`; the default has no TLS and asks for no password
 */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: ReceivedMail[] = []
  const refusals: Readonly<Record<string, number>> = { 'unknown.example': 550, 'busy.example': 451 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.cert ? [] : ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const responseCode = refusals[address.split('@')[1] ?? '']
      done(responseCode ? Object.assign(new Error('not here'), { responseCode }) : null)
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ to, raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const { server: listener } = server
  server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    received,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
