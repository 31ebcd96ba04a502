import { expect } from 'chai'
import { codesOf } from '../../../../src/domain/delivery/list-filter.ts'
import { whyUndelivered } from '../../../../src/domain/delivery/why.ts'
import { delivery } from '../../../support/deliveries.ts'

describe('why a delivery has not arrived', () => {
  const active = { isActive: true, isSuspended: false, holdsFirstAttempts: false }
  const failed = { status: 'failed', attempts: 6, responseCode: 500 } as const
  for (const [why, fields, webhook] of [
    [null, { status: 'success', responseCode: 200 }, {}],
    ['webhook_inactive', { status: 'retrying', attempts: 1, responseCode: 500 }, { isActive: false }],
    ['webhook_deleted', { ...failed, closedReason: 'webhook_deleted' }, {}],
    ['http_500', { ...failed, closedReason: 'attempts_used' }, { isActive: false }],
    ['http_503', { status: 'retrying', attempts: 1, responseCode: 503 }, {}],
    ['no_answer', { status: 'retrying', attempts: 1 }, {}],
    ['first_attempt_due', {}, {}],
  ] as const) {
    it(`is ${why} where nothing tells more`, () => {
      expect(whyUndelivered({ ...delivery(fields), error: null }, { ...active, ...webhook })).to.equal(why)
    })
  }
})

describe('a class of responses', () => {
  it('is the hundred status codes with its first digit', () => {
    expect(codesOf('2xx')).to.deep.equal([200, 299])
    expect(codesOf('5xx')).to.deep.equal([500, 599])
  })
})
