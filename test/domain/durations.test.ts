import { expect } from 'chai'
import { formatDuration, parseDurationMs } from '../../src/domain/durations.js'

describe('durations', () => {
  const READINGS: [string, number | undefined][] = [
    ['250ms', 250],
    ['5s', 5_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    [' 5s ', 5_000],
    ['5', undefined],
    ['-5s', undefined],
    ['1.5s', undefined],
    ['5 s', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of READINGS) {
    it(`reads ${JSON.stringify(text)} as ${String(expected)} ms`, () => {
      expect(parseDurationMs(text)).to.equal(expected)
    })
  }

  it('writes what it reads back', () => {
    for (const durationMs of [1, 250, 1_000, 90_000, 3_600_000, 604_800_000]) {
      expect(parseDurationMs(formatDuration(durationMs))).to.equal(durationMs)
    }
  })
})
