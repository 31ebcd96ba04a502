import type { Middleware } from 'koa'
import { CHECKS } from '../../domain/key/check-order.ts'
import { ApiError } from '../../domain/errors.ts'
import type { State } from '../auth/caller.ts'
import type { DenialLimit } from '../auth/denial-limit.ts'

const DENIAL_CODES = new Set<string>(CHECKS.filter((check) => 'isDenial' in check).map(({ code }) => code))

/**
 * Applies the limit of denied calls to route, method and scope. Authentication applies it to the allowlist itself, because
 * the caller is not known here when that check throws.
 */
export const limitDenials =
  (limit: DenialLimit): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { caller, isRated } = ctx.state
      // After the rate limit the call has spent its key's quota, and a 404 is about an object, not about the route.
      if (!caller || isRated || !(error instanceof ApiError) || !DENIAL_CODES.has(error.code)) throw error
      throw await limit(caller.id, error)
    }
  }
