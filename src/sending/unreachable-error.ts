import type { AttemptError } from '../domain/delivery/outcome.js'

/** No answer came, for a reason that lies with the endpoint. The sender turns it into an outcome. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly reason: AttemptError

  constructor(reason: AttemptError, options?: { cause: unknown }) {
    super(`The endpoint was not reached: ${reason}.`, options)
    this.reason = reason
  }
}
