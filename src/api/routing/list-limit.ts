import { isStatementTimeout } from '../../domain/database-errors.ts'
import { ApiError } from '../../domain/errors.ts'
import { ConcurrencyLimit } from '../../operations/concurrency-limit.ts'
import type { Caller } from '../auth/caller.ts'
import type { Answer } from './route.ts'

/** Lists that one company reads at once, with all its keys; a list of ordinary size takes milliseconds. */
export const LISTS_AT_ONCE = 2
const WAITING = 50
const WAIT_MS = 2_000

/** Reads a list once the caller's company has room for it. */
export type ListLimit = (caller: Caller, read: () => Promise<Answer>) => Promise<Answer>

/**
 * Limits the lists of each company in this process, and refuses a list whose query the database stopped as too long.
 *
 * @returns a function that throws ApiError RATE_LIMITED, or SERVICE_UNAVAILABLE when the read took too long
 */
export function createListLimit(): ListLimit {
  const limit = new ConcurrencyLimit({
    running: LISTS_AT_ONCE,
    waiting: WAITING,
    waitMs: WAIT_MS,
    message: `A company may read ${LISTS_AT_ONCE} lists at once: ask for the next one when one is answered.`,
  })
  return async ({ tenant }, read) => {
    try {
      return await limit.run(tenant.companyId, read)
    } catch (error) {
      throw isStatementTimeout(error) ? tooSlow(error) : error
    }
  }
}

/** Not a 400: the same request may pass on a database that is less busy. */
const tooSlow = (cause: unknown): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'The list took too long to read: ask for an earlier page or a smaller limit, or try again later.',
    { cause, headers: { 'Retry-After': '5' } },
  )
