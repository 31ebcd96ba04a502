import { dataOf } from '../../api/schemas/common.ts'
import { compileAllowlist, reviewAllowlist } from '../../domain/key/allowlist.ts'
import { canonicalAddress } from '../../domain/net/addresses.ts'
import { presentReview } from '../../presenters/console.ts'
import { allowlistVerdict } from '../answers.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'
import { allowlistTestBody } from '../schemas.ts'
import { invalid } from '../../domain/errors.ts'

/**
 * Checks an allowlist while a user edits it: which entries are wrong, and whether it would permit an address. Changes
 * nothing.
 */
export function allowlistRoutes(): ConsoleRoute[] {
  const test = defineConsoleRoute({
    method: 'POST',
    cost: 'cheap',
    path: '/allowlist-test',
    action: 'keys.read',
    body: allowlistTestBody,
    answers: { 200: { schema: dataOf(allowlistVerdict) } },
    handle: ({ body }) => {
      const address = body.address.trim()
      if (address !== '' && canonicalAddress(address) === undefined) {
        throw invalid('"address" must be an IPv4 or IPv6 address.')
      }
      const review = reviewAllowlist(body.ip_allowlist)
      const isKnown = address !== '' && review.faults.length === 0
      const isAllowed = isKnown ? compileAllowlist(review.entries)(address) : null
      return Promise.resolve({ body: { data: presentReview(review, isAllowed) } })
    },
  })
  return [test]
}
