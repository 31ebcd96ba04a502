import { expect } from 'chai'
import { codesOf, attemptCursor, readAttemptCursor } from '../../../../src/domain/delivery/lists.ts'
import { whyUndelivered } from '../../../../src/domain/delivery/view.ts'
import { delivery } from '../../../support/deliveries.ts'
import { ageClass } from '../../../../src/domain/delivery/delivery.ts'

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
  ] as const)
    it(`is ${why} where nothing tells more`, () =>
      expect(whyUndelivered({ ...delivery(fields), error: null }, { ...active, ...webhook })).to.equal(why))
})

describe('a class of responses', () => {
  it('is the hundred status codes with its first digit, and all above for 5xx', () =>
    expect([codesOf('2xx'), codesOf('5xx')].join(' ')).to.equal('200,299 500,999'))
})

const NOW = new Date('2026-01-31T12:00:00.000Z')

describe('the age of a delivery', () => {
  it('is one of four classes, or unknown, and the youngest where clocks differ', () => {
    const ages = [-500, 0, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000]
    const classes = ages.map((ms) => ageClass(new Date(NOW.getTime() - ms), NOW)).join(' ')
    expect(classes).to.equal('under_1m under_1m under_1m under_1h under_1h under_1d under_1d older')
    expect(ageClass(undefined, NOW)).to.equal('unknown')
  })
})

describe('a cursor of attempts', () => {
  it('is read back as the number that it was made from, for its own delivery and in its own form alone', () => {
    const cursor = attemptCursor('del_1', 41)
    expect(cursor).to.match(/^[\w-]+$/)
    expect(readAttemptCursor('del_1', cursor)).to.equal(41)
    expect(readAttemptCursor('del_2', cursor)).to.equal(undefined)
    const spelt = (text: string) => Buffer.from(text).toString('base64url')
    const others = ['', `${cursor}=`, ` ${cursor}`, spelt('041.del_1'), spelt('0.del_1'), spelt('-1.del_1')]
    for (const other of others) expect(readAttemptCursor('del_1', other), other).to.equal(undefined)
  })
})
