import type { AttemptError } from '../domain/delivery/outcome.js'
import { workerFaultIn } from '../domain/worker-fault.js'

/** No answer came, for a reason that lies with the endpoint. The sender turns it into an outcome. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly reason: AttemptError

  constructor(reason: AttemptError, options?: { cause: unknown }) {
    super(`The endpoint was not reached: ${reason}.`, options)
    this.reason = reason
  }
}

/** Whether what came was no HTTP/1.1 answer to our request. undici names some such errors by their message only. */
const isBadAnswer = (error: Error, code: string): boolean =>
  error.name === 'HTTPParserError' ||
  /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code) ||
  ['bad response', 'bad upgrade'].includes(error.message)

/** Whether we asked for something impossible, or this machine lacks the means for it. */
const isOurFault = (error: Error, code: string): boolean =>
  error instanceof TypeError ||
  workerFaultIn(error) !== undefined ||
  /^(UND_ERR_(INVALID|NOT_SUPPORTED|REQ_)|ERR_(ASSERTION|INVALID|OUT_OF))/.test(code)

/**
 * Why an open connection gave no answer.
 *
 * @param error what the socket or undici reported
 * @returns undefined when the fault is ours
 */
export function failureReason(error: Error): AttemptError | undefined {
  const code = 'code' in error ? String(error.code) : ''
  if (isOurFault(error, code)) return undefined
  if (isBadAnswer(error, code)) return 'protocol_error'
  // A TLS 1.3 server may refuse a client after the client's handshake is done, so TLS errors come here too.
  return /^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code) ? 'tls_error' : 'connection_reset'
}
