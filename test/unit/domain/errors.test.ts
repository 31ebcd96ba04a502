import { expect } from 'chai'
import {
  ApiError,
  CONSOLE_ERROR_STATUS,
  ERROR_STATUS,
  methodNotAllowed,
  notFound,
} from '../../../src/domain/errors.ts'

describe('the codes of refusals', () => {
  // decision: Codes beyond the specification
  it('are those of the specification, and beyond them one for each refusal that it does not name', () => {
    expect(ERROR_STATUS).to.deep.equal({
      // Named by the specification.
      ...{ VALIDATION_ERROR: 400, INVALID_REQUEST: 400, UNAUTHORIZED: 401, INVALID_API_KEY: 401 },
      ...{ API_KEY_REVOKED: 401, API_KEY_EXPIRED: 401, INSUFFICIENT_PERMISSIONS: 403, IP_NOT_ALLOWED: 403 },
      ...{ NOT_FOUND: 404 },
      // Our own.
      ...{ API_KEY_DISABLED: 401, METHOD_NOT_ALLOWED: 405, REQUEST_TIMEOUT: 408, CONFLICT: 409 },
      ...{ PRECONDITION_FAILED: 412, PAYLOAD_TOO_LARGE: 413, UNSUPPORTED_MEDIA_TYPE: 415 },
      ...{ IDEMPOTENCY_KEY_REUSED: 422, RATE_LIMITED: 429, HEADERS_TOO_LARGE: 431 },
      ...{ INTERNAL_ERROR: 500, SERVICE_UNAVAILABLE: 503 },
    })
  })

  // decision: Codes of the console
  it('are five more in the console, none of which the public API answers', () => {
    expect(CONSOLE_ERROR_STATUS).to.deep.equal({
      ...{ INVALID_CREDENTIALS: 401, SECOND_FACTOR_REQUIRED: 401, SECOND_FACTOR_LOCKED: 401 },
      ...{ CSRF_TOKEN_INVALID: 403, REAUTHENTICATION_REQUIRED: 403 },
    })
    expect(ERROR_STATUS).to.not.have.any.keys(Object.keys(CONSOLE_ERROR_STATUS))
  })

  it('have the status of their code, and keep the details for us behind the message', () => {
    const cause = new Error('ours')
    const refusal = new ApiError('RATE_LIMITED', 'Wait.', { cause, headers: { 'Retry-After': '1' } })
    const shown = { name: 'ApiError', code: 'RATE_LIMITED', status: 429, message: 'Wait.', cause }
    expect(refusal).to.include(shown)
    expect(refusal.headers).to.deep.equal({ 'Retry-After': '1' })
    expect(new ApiError('INVALID_CREDENTIALS', 'No.')).to.deep.include({ status: 401, headers: {} })
    expect(notFound('Webhook')).to.include({ code: 'NOT_FOUND', message: 'Webhook not found.' })
    expect(methodNotAllowed('GET, HEAD')).to.deep.include({ status: 405, headers: { Allow: 'GET, HEAD' } })
    expect(methodNotAllowed('GET').message).to.equal('The method is not allowed here.')
  })
})
