import type { AttemptError } from '../domain/delivery/outcome.ts'
import { isProhibition, isShortage } from '../domain/system-errors.ts'

/**
 * The endpoint gave no answer, which is the endpoint's failure and not our fault. The sender turns this error into an outcome.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly reason: AttemptError

  constructor(reason: AttemptError, options?: { cause: unknown }) {
    super(`The endpoint was not reached: ${reason}.`, options)
    this.reason = reason
  }
}

/** Whether the guard, or the rules of the egress proxy, refused an address. */
export const isBlockedAddress = (error: unknown): boolean =>
  error instanceof UnreachableError && error.reason === 'blocked_address'

/** The name resolves to addresses that the guard refuses. Customers see the same error as for an unknown name. */
export class BlockedNameError extends UnreachableError {
  constructor() {
    super('dns_error')
  }
}

/** Nothing came back from any address of the endpoint. */
export class SilentEndpointError extends UnreachableError {}

/**
 * Why this worker could not make an attempt, whatever the endpoint would have answered:
 * - `resources`: no file, memory or port is left on this machine
 * - `permission`: a rule of this machine forbids the connection
 * - `resolver`: the name servers do not answer
 * - `network`: nothing comes back from the endpoints of any company
 * - `proxy`: the egress proxy cannot be reached, does not answer like a proxy, or refuses our credentials
 */
export type WorkerFaultReason = 'resources' | 'permission' | 'resolver' | 'network' | 'proxy'

/** Thrown when a fault of ours prevented an attempt. It is no outcome and spends no attempt. */
export class WorkerFault extends Error {
  override readonly name = 'WorkerFault'
  readonly reason: WorkerFaultReason

  constructor(reason: WorkerFaultReason, options?: { cause: unknown }) {
    super(`The worker cannot connect: ${reason}.`, options)
    this.reason = reason
  }
}

/**
 * Finds our own fault in an error of a socket. If one of several addresses failed by our fault, the whole error is our
 * fault, because that address might have answered.
 *
 * @returns undefined when the error comes from the other end, or matches none of these reasons
 */
export function workerFaultIn(error: unknown): WorkerFaultReason | undefined {
  if (error instanceof WorkerFault) return error.reason
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  if (errors.some(isShortage)) return 'resources'
  return errors.some(isProhibition) ? 'permission' : undefined
}

/**
 * Whether the endpoint sent something that is not an HTTP/1.1 answer. undici marks some of these errors only by their message.
 */
const isBadAnswer = (error: Error, code: string): boolean =>
  error.name === 'HTTPParserError' ||
  /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code) ||
  ['bad response', 'bad upgrade'].includes(error.message)

/** Whether the error is our fault: our request is not valid, or this machine lacks what a connection needs. */
const isOurFault = (error: Error, code: string): boolean =>
  error instanceof TypeError ||
  workerFaultIn(error) !== undefined ||
  /^(UND_ERR_(INVALID|NOT_SUPPORTED|REQ_)|ERR_(ASSERTION|INVALID|OUT_OF))/.test(code)

/**
 * Returns why an open connection brought no answer, or only a part of one.
 *
 * @param error the error that the socket or undici reported
 * @param hasBegun whether a part of the answer came
 * @returns undefined when the error is our own fault
 */
export function failureReason(error: Error, hasBegun: boolean): AttemptError | undefined {
  const code = 'code' in error ? String(error.code) : ''
  // undici asserts against bad answers that its parser should have refused: a status below 100, or a 101 that names no
  // protocol.
  if (hasBegun && code === 'ERR_ASSERTION') return 'protocol_error'
  if (isOurFault(error, code)) return undefined
  if (isBadAnswer(error, code)) return 'protocol_error'
  // With TLS 1.3 a server may refuse us after the handshake is over on our side. So TLS errors can come here too.
  return /^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code) ? 'tls_error' : 'connection_reset'
}
