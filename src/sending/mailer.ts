import { rootCertificates } from 'node:tls'
import { getSystemErrorName } from 'node:util'
import { createTransport, type Transporter } from 'nodemailer'
import type { Mail } from '../domain/mail/mail.ts'
import { isLoopbackHost } from '../domain/net/host-port.ts'
import { startDeadline, within } from './deadline.ts'

/** The mail server of the operator, and the sender of its mails. */
type MailerOptions = {
  /** `smtps://user:password@host:port`, or `smtp://`, which demands STARTTLS unless the server is on this machine. */
  readonly url: string
  /** `name@host`, or `Name <name@host>`. */
  readonly from: string
  /** The longest time for sending one mail, in milliseconds. */
  readonly timeoutMs: number
  /** Certificates (PEM) to trust in addition to the public certificates. */
  readonly ca?: string | undefined
}

/**
 * The result of sending a mail. `answer`: the server's line, which may contain the address. `isFinal`: the server will
 * never accept this mail (5xx). `reason`: the code of an error, for example ECONNREFUSED or EAUTH, or `timeout`.
 */
export type MailResult =
  | { readonly kind: 'sent'; readonly answer: string }
  | { readonly kind: 'refused'; readonly answer: string; readonly isFinal: boolean }
  | { readonly kind: 'unreachable'; readonly reason: string }

/**
 * Sends mails through the operator's server, over a new connection for each mail. The address guard does not apply, because no
 * customer chose the host. The mailer always verifies the certificate. It sends without TLS only to a server on this machine.
 */
export class Mailer {
  readonly #transport: Transporter<{ response: string }>
  readonly #from: string
  readonly #timeoutMs: number

  constructor({ url, from, timeoutMs, ca }: MailerOptions) {
    const { protocol, hostname, port, username, password } = new URL(url)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const isLocal = isLoopbackHost(host)
    this.#from = from
    this.#timeoutMs = timeoutMs
    this.#transport = createTransport({
      host,
      ...(port !== '' && { port: Number(port) }),
      secure: protocol === 'smtps:',
      requireTLS: !isLocal,
      ignoreTLS: isLocal,
      ...(username !== '' && {
        auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      }),
      tls: {
        minVersion: 'TLSv1.2',
        // Set explicitly, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED can change the default.
        rejectUnauthorized: true,
        ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      },
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  /**
   * Tries once to send the mail.
   *
   * @param id identifies the mail. A repeated mail has the same Message-ID, so that servers can drop it
   */
  async send(id: string, { to, subject, text }: Mail): Promise<MailResult> {
    const deadline = startDeadline(this.#timeoutMs)
    const work = this.#transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${hostOf(this.#from)}>`,
      // RFC 3834: asks other machines not to answer this mail.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    // The deadline may end the wait first. A later error then has no handler and would end the process.
    work.catch(() => undefined)
    try {
      const { response } = await within(deadline.signal, work)
      return { kind: 'sent', answer: response }
    } catch (error) {
      return deadline.signal.aborted ? { kind: 'unreachable', reason: 'timeout' } : resultOf(error)
    } finally {
      deadline.clear()
    }
  }
}

/** The fields of nodemailer's error that we use. The error's message is left out, because it may contain the address. */
type MailError = {
  readonly code?: string
  readonly errno?: number
  readonly responseCode?: number
  readonly response?: string
}

function resultOf(error: unknown): MailResult {
  const { code = 'unknown', errno, responseCode, response } = error as MailError
  if (response !== undefined && responseCode !== undefined && OF_THE_MAIL.includes(code)) {
    return { kind: 'refused', answer: response, isFinal: responseCode >= 500 }
  }
  const reason = typeof errno === 'number' ? getSystemErrorName(errno) : code
  return { kind: 'unreachable', reason: responseCode === undefined ? reason : `${reason} ${responseCode}` }
}

/** The error codes of nodemailer that mean: the server refused this mail, and not our connection or login. */
const OF_THE_MAIL = ['EENVELOPE', 'EMESSAGE']

/** The host of `name@host` or `Name <name@host>`. */
const hostOf = (from: string): string => /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'
