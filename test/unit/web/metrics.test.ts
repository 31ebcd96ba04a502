import { expect } from 'chai'
import {
  attemptBars,
  errorBars,
  highestOf,
  slowBars,
  startText,
} from '../../../web/src/webhooks/attempt-bars.ts'

const at = (hour: number, attempts: number, failures: number, p95_ms: number | null) => ({
  starts_at: `2026-01-15T0${hour}:00:00.000Z`,
  ...{ attempts, failures, p95_ms },
})
const SERIES = [at(1, 0, 0, null), at(2, 1_000, 1, 50), at(3, 4, 4, 2_000)]

describe('the charts of a webhook', () => {
  it('name hours and days in UTC', () => {
    expect(startText('2026-01-15T12:00:00.000Z', 'hour')).to.equal('2026-01-15 12:00 UTC')
    expect(startText('2026-01-15T00:00:00.000Z', 'day')).to.equal('2026-01-15')
  })

  it('show attempts with those that failed', () => {
    expect(attemptBars(SERIES).map(({ value, bad }) => [value, bad])).to.deep.equal([
      [0, 0],
      [1_000, 1],
      [4, 4],
    ])
  })

  it('show a single failure among many, and nothing where nothing was sent', () => {
    expect(errorBars(SERIES, 'hour').map(({ value }) => value)).to.deep.equal([0, 1, 100])
    expect(slowBars(SERIES, 'hour').map(({ value }) => value)).to.deep.equal([0, 50, 2_000])
    expect(highestOf(slowBars(SERIES, 'hour'))).to.equal(2_000)
    expect(highestOf([])).to.equal(0)
  })
})
