import type { AttemptError } from '../domain/delivery/outcome.js'
import { workerFaultIn } from '../domain/worker-fault.js'

/** No answer came, for a reason that lies with the endpoint: the sender turns it into an outcome, it is not our fault. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly reason: AttemptError

  constructor(reason: AttemptError, options?: { cause: unknown }) {
    super(`The endpoint was not reached: ${reason}.`, options)
    this.reason = reason
  }
}

/** Kinds, codes and undici's own words for what is no HTTP/1.1 answer to our request. */
const isBadAnswer = (error: Error, code: string): boolean =>
  error.name === 'HTTPParserError' ||
  /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code) ||
  ['bad response', 'bad upgrade'].includes(error.message)

/** Kinds and codes that say that we asked for something impossible, or that this machine has nothing left for it. */
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
  // A TLS 1.3 server refuses a client only after the client's handshake is done.
  return /^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code) ? 'tls_error' : 'connection_reset'
}
