import { expect } from 'chai'
import { words } from '../../support/words.ts'
import * as errors from '../../../src/domain/errors.ts'

describe('the codes of refusals', () => {
  // decision: Codes of the console
  it('are six more in the console, none of which the public API answers', () => {
    expect(Object.keys(errors.CONSOLE_ERROR_STATUS)).to.have.members(
      words(`
        INVALID_CREDENTIALS SECOND_FACTOR_REQUIRED SECOND_FACTOR_LOCKED CSRF_TOKEN_INVALID
        REAUTHENTICATION_REQUIRED SECOND_FACTOR_SETUP_REQUIRED
      `),
    )
    expect(errors.ERROR_STATUS).to.not.have.any.keys(Object.keys(errors.CONSOLE_ERROR_STATUS))
  })

  it('have the status of their code, and keep the details for us behind the message', () => {
    const cause = new Error('ours')
    const refusal = new errors.ApiError('RATE_LIMITED', 'Wait.', { cause, headers: { 'Retry-After': '1' } })
    const shown = { name: 'ApiError', code: 'RATE_LIMITED', status: 429, message: 'Wait.', cause }
    expect(refusal).to.include(shown)
    expect(refusal.headers).to.deep.equal({ 'Retry-After': '1' })
    expect(new errors.ApiError('INVALID_CREDENTIALS', 'No.')).to.deep.include({ status: 401, headers: {} })
    expect(errors.notFound('Webhook')).to.include({ code: 'NOT_FOUND', message: 'Webhook not found.' })
    expect(errors.methodNotAllowed('GET, HEAD')).to.deep.include({
      status: 405,
      headers: { Allow: 'GET, HEAD' },
    })
    expect(errors.methodNotAllowed('GET').message).to.equal('The method is not allowed here.')
  })
})
