import { dataOf } from '../../api/schemas/common.ts'
import { ApiError } from '../../domain/errors.ts'
import { compileAllowlist, reviewAllowlist } from '../../domain/key/allowlist.ts'
import { canonicalAddress } from '../../domain/net/addresses.ts'
import { presentReview } from '../../presenters/console.ts'
import { allowlistVerdict } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'
import { allowlistTestBody } from '../schemas.ts'

/**
 * Checks an allowlist while a user edits it: which entries are wrong, and whether it would permit an address. Changes
 * nothing.
 */
export function allowlistRoutes(): ConsoleRoute[] {
  const test = defineConsoleRoute('POST', '/allowlist-test', {
    cost: 'cheap',
    action: 'keys.read',
    body: allowlistTestBody,
    answers: { 200: { schema: dataOf(allowlistVerdict) } },
    handle: ({ body }) => {
      const address = body.address.trim()
      if (address !== '' && canonicalAddress(address) === undefined) {
        throw new ApiError('VALIDATION_ERROR', '"address" must be an IPv4 or IPv6 address.')
      }
      const { entries, faults } = reviewAllowlist(body.ip_allowlist)
      const isAllowed = address === '' || faults.length > 0 ? null : compileAllowlist(entries)(address)
      return withData(presentReview({ entries, faults, isAllowed }))
    },
  })
  return [test]
}
