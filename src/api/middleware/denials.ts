import type { Middleware } from 'koa'
import { CHECKS } from '../../domain/key/check-order.js'
import { ApiError } from '../../domain/errors.js'
import type { State } from '../auth/caller.js'
import type { DenialLimit } from '../auth/denial-limit.js'

const DENIAL_CODES = new Set<string>(CHECKS.filter((check) => 'isDenial' in check).map(({ code }) => code))

/**
 * Puts the limit of denied calls behind route, method and scope. Authentication does the same for the allowlist: it
 * throws before the caller is known here.
 */
export const limitDenials =
  (limit: DenialLimit): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { caller, isRated } = ctx.state
      // Past the rate limit a call has spent the quota of its key, and a 404 is that of an object.
      if (!caller || isRated || !(error instanceof ApiError) || !DENIAL_CODES.has(error.code)) throw error
      throw await limit(caller.key.id, error)
    }
  }
