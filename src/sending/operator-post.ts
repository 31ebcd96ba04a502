import { rootCertificates } from 'node:tls'
import { Agent, request } from 'undici'
import { startDeadline } from './deadline.ts'

const MAXIMUM_HEADER_BYTES = 16_384
const MAXIMUM_BODY_BYTES = 65_536

/** One POST to an address of the operator. */
type OperatorRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** `reason`: the code of the error, such as ECONNREFUSED, or `timeout`. */
export type PostResult =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly reason: string }

type PostOptions = {
  /** Milliseconds for the whole request. */
  readonly timeoutMs: number
  /** Certificates (PEM) to trust in addition to the public certificates. */
  readonly ca?: string | undefined
}

/**
 * Sends to the operator's own address. The address guard does not apply, because no customer chose this address. The
 * system resolves the name, with its hosts file and search domains. The class follows no redirects. It keeps no
 * connection, because requests are minutes apart.
 */
export class OperatorPost {
  readonly #timeoutMs: number
  readonly #agent: Agent

  constructor({ timeoutMs, ca }: PostOptions) {
    this.#timeoutMs = timeoutMs
    this.#agent = new Agent({
      connect: {
        minVersion: 'TLSv1.2',
        // Set explicitly, because the environment variable NODE_TLS_REJECT_UNAUTHORIZED can change the default.
        rejectUnauthorized: true,
        timeout: timeoutMs,
        ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      },
      // Off, because the deadline of the whole request covers headers and body.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
    })
  }

  /**
   * Tries once to send the request. The status line alone decides the result, even if the rest of the answer is lost.
   *
   * @param stopped ends the request when this signal aborts
   */
  async send({ url, headers, body }: OperatorRequest, stopped: AbortSignal): Promise<PostResult> {
    const deadline = startDeadline(this.#timeoutMs, stopped)
    const options = { method: 'POST', headers, body, dispatcher: this.#agent, reset: true } as const
    try {
      const answer = await request(url, { ...options, signal: deadline.signal })
      await answer.body.dump({ limit: MAXIMUM_BODY_BYTES }).catch(() => undefined)
      return { kind: 'answered', status: answer.statusCode }
    } catch (error) {
      return { kind: 'unreachable', reason: deadline.signal.aborted ? 'timeout' : codeOf(error) }
    } finally {
      deadline.clear()
    }
  }

  /** Ends every connection. */
  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

/** Returns the code of a connection error. The error's message is left out, because it may contain the address. */
function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return String(code ?? name)
}
