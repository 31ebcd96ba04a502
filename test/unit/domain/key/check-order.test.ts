import { expect } from 'chai'
import { CHECKS, type CheckName } from '../../../../src/domain/key/check-order.ts'
import { ERROR_STATUS } from '../../../../src/domain/errors.ts'

/** The order of checks, written out once more by hand. */
const ORDER: readonly (readonly [CheckName, string])[] = [
  ['authorization', '401 UNAUTHORIZED'],
  ['key-well-formed', '401 INVALID_API_KEY'],
  ['key-known', '401 INVALID_API_KEY'],
  ['key-not-revoked', '401 API_KEY_REVOKED'],
  ['key-not-expired', '401 API_KEY_EXPIRED'],
  ['key-enabled', '401 API_KEY_DISABLED'],
  ['company-not-suspended', '401 API_KEY_DISABLED'],
  ['ip-allowed', '403 IP_NOT_ALLOWED'],
  ['route', '404 NOT_FOUND'],
  ['method', '405 METHOD_NOT_ALLOWED'],
  ['scope', '403 INSUFFICIENT_PERMISSIONS'],
  ['rate', '429 RATE_LIMITED'],
  ['body-size', '413 PAYLOAD_TOO_LARGE'],
  ['media-type', '415 UNSUPPORTED_MEDIA_TYPE'],
  ['body-syntax', '400 VALIDATION_ERROR'],
  ['event-scope', '403 INSUFFICIENT_PERMISSIONS'],
  ['object', '404 NOT_FOUND'],
  ['fields', '400 VALIDATION_ERROR'],
  ['state', '400 INVALID_REQUEST'],
]

describe('the order of checks', () => {
  // decision: Order of the checks
  it('is the decided one, with its codes', () => {
    const listed = CHECKS.map(({ name, code }) => [name, `${ERROR_STATUS[code]} ${code}`])
    expect(listed).to.deep.equal(ORDER)
  })

  // decision: Denied calls have a limit of their own
  it('names the checks whose refusals have a limit of their own: all that a live key can fail before its rate limit', () => {
    const denials = CHECKS.filter((check) => 'isDenial' in check).map(({ name }) => name)
    expect(denials).to.deep.equal(['ip-allowed', 'route', 'method', 'scope'])
  })
})
