import { expect } from 'chai'
import fc from 'fast-check'
import * as backoff from '../../../../src/domain/delivery/backoff.ts'
import { words } from '../../../support/words.ts'

const now = new Date('2026-01-05T12:00:00.000Z')
const plain = { scheduleMs: [1_000, 10_000], status: 500, retryAfter: undefined, now, random: 0.5 }
const delayOf = (given: Partial<Parameters<typeof backoff.retryDelayMs>[0]>) =>
  backoff.retryDelayMs({ ...plain, failedAttempts: 1, ...given })

// decision: Schedule
describe('retry timing', () => {
  it('follows the default schedule: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, 24 h, and repeats its last delay', () => {
    const hours = [2, 5, 10, 14, 20, 24, 24].map((count) => count * 3_600_000)
    expect(backoff.DEFAULT_RETRY_SCHEDULE_MS).to.deep.equal([5_000, 300_000, 1_800_000, ...hours])
    const delays = [1, 2, 7].map((failedAttempts) => delayOf({ failedAttempts }))
    expect(delays).to.deep.equal([1_000, 10_000, 10_000])
  })

  it('moves every delay by at most 10 % to either side', () => {
    const drawn = fc.double({ min: 0, max: 0.999999, noNaN: true })
    fc.assert(
      fc.property(drawn, fc.integer({ min: 1, max: 100_000 }), (random, plannedMs) => {
        const delayMs = delayOf({ scheduleMs: [plannedMs], random })
        expect(delayMs).to.be.within(Math.floor(plannedMs * 0.9), Math.ceil(plannedMs * 1.1))
        expect(Number.isInteger(delayMs)).to.equal(true)
      }),
    )
    expect([0, 1].map((random) => delayOf({ random }))).to.deep.equal([900, 1_100])
  })

  // decision: Retry-After
  it('honours Retry-After on 429, 502, 503 and 504 between the planned delay and the larger of twice it and an hour', () => {
    const asked = (retryAfter: string, status = 429) => delayOf({ failedAttempts: 2, status, retryAfter })
    for (const status of [429, 502, 503, 504]) {
      expect(asked('60', status), `${status}`).to.equal(60_000)
      expect(asked('1', status), `${status}`).to.equal(10_000)
      for (const long of ['999999', '9999999999', '9'.repeat(400)])
        expect(asked(long, status), `${status}`).to.equal(3_600_000)
    }
    expect(asked('Mon, 05 Jan 2026 12:02:00 GMT')).to.equal(120_000)
    const long = { scheduleMs: [36_000_000], status: 429, retryAfter: '999999' }
    expect(delayOf(long)).to.equal(72_000_000)
    for (const status of [400, 408, 500, 501, 505]) expect(asked('60', status), `${status}`).to.equal(10_000)
  })

  for (const garbage of [
    '',
    'Mon, 05 Jan 2026 11:59:00 GMT',
    'Mon, 05 Jan 2026 12:00:00 GMT',
    'after Mon, 05 Jan 2026 12:02:00 GMT',
    'Mon, 05 Jan 2026 12:02:00 GMT (or so)',
    ...words('-5 soon 1.5 2026-01-06 0x10'),
  ])
    it(`ignores the Retry-After ${JSON.stringify(garbage)}`, () =>
      expect(backoff.retryAfterMs(garbage, now)).to.equal(undefined))
})
