import { rootCertificates } from 'node:tls'
import { getSystemErrorName } from 'node:util'
import { createTransport, type Transporter } from 'nodemailer'
import type { Mail } from '../domain/mail/mail.ts'
import { isLoopbackHost } from '../domain/net/host-port.ts'
import { startDeadline, within } from './deadline.ts'

/** The mail server of the operator, and what mails come from. */
type MailerOptions = {
  /** `smtps://user:password@host:port`, or `smtp://`, which asks for STARTTLS beyond this machine. */
  readonly url: string
  /** `name@host`, or `Name <name@host>`. */
  readonly from: string
  /** For the whole mail, in milliseconds. */
  readonly timeoutMs: number
  /** Certificates (PEM) to trust beside the public ones. */
  readonly ca?: string | undefined
}

/**
 * What became of a mail. `answer` is a line of the server, which may name the address. `isFinal`: the server will never take
 * it (5xx). `reason`: the code of an error, such as ECONNREFUSED or EAUTH, or `timeout`.
 */
export type MailResult =
  | { readonly kind: 'sent'; readonly answer: string }
  | { readonly kind: 'refused'; readonly answer: string; readonly isFinal: boolean }
  | { readonly kind: 'unreachable'; readonly reason: string }

/**
 * Sends mails through the operator's server, one connection for each. The guard of addresses does not apply, because no
 * customer chose the host. The certificate is always verified. Without TLS it speaks to this machine alone.
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
        // Named because NODE_TLS_REJECT_UNAUTHORIZED would change the default.
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
   * Sends once.
   *
   * @param id names the mail: a repeat has the same Message-ID, by which servers drop it
   */
  async send(id: string, { to, subject, text }: Mail): Promise<MailResult> {
    const deadline = startDeadline(this.#timeoutMs)
    const work = this.#transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${id}@${hostOf(this.#from)}>`,
      // RFC 3834: no answer by a machine is wanted.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    // The deadline may end the wait first; nobody is left then to take the error.
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

/** What nodemailer tells of a failure. Its message may name the address. */
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

/** Steps of SMTP whose refusal is about this mail, and not about us. */
const OF_THE_MAIL = ['EENVELOPE', 'EMESSAGE']

/** The host of `name@host` or `Name <name@host>`. */
const hostOf = (from: string): string => /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'
