import { expect } from 'chai'
import { words } from '../../support/words.ts'
import * as errors from '../../../src/domain/errors.ts'
import { LineInterval } from '../../../src/domain/line-interval.ts'
import { isShortage } from '../../../src/domain/system-errors.ts'

describe('the codes of refusals', () => {
  // decision: Codes of the console
  it('are six more in the console, none of which the public API answers', () => {
    const more = words(`
      INVALID_CREDENTIALS SECOND_FACTOR_REQUIRED SECOND_FACTOR_LOCKED CSRF_TOKEN_INVALID
      REAUTHENTICATION_REQUIRED SECOND_FACTOR_SETUP_REQUIRED
    `)
    expect(Object.keys(errors.CONSOLE_ERROR_STATUS)).to.have.members(more)
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
    const message = 'The method is not allowed here.'
    const notAllowed = { status: 405, message, headers: { Allow: 'GET, HEAD' } }
    expect(errors.methodNotAllowed('GET, HEAD')).to.deep.include(notAllowed)
    const seconds = [0, 1, 1_000, 1_001].map((ms) => errors.retryAfter(ms)['Retry-After'])
    expect(seconds, 'whole ones, at least one').to.deep.equal(['1', '1', '1', '2'])
  })
})

describe('an error of the operating system', () => {
  // decision: A fault of the worker's own machine
  it('is a shortage of this machine where it has no file, memory or port left, and none where it has no IPv6', () => {
    const shortages = words('EMFILE ENFILE ENOBUFS ENOMEM EADDRNOTAVAIL').map((code): object => ({ code }))
    shortages.push({ code: 'EADDRNOTAVAIL', address: '192.0.2.1' })
    const others = [{ code: 'EADDRNOTAVAIL', address: '2001:db8::1' }, { code: 'ECONNREFUSED' }, {}]
    expect([...shortages, ...others, undefined].filter(isShortage)).to.deep.equal(shortages)
  })
})

describe('log lines about a state that lasts', () => {
  it('are the first, then one in each interval that counts those left out, and a first one again afterwards', () => {
    const lines = new LineInterval(1_000)
    const answers = [0, 1, 999, 1_000, 1_500, 2_000].map((nowMs) => lines.admit(nowMs))
    expect(answers).to.deep.equal([0, undefined, undefined, 2, undefined, 1])
    lines.admit(2_001)
    lines.reset()
    expect([lines.admit(2_002), lines.admit(2_003)]).to.deep.equal([0, undefined])
  })
})
