import { expect } from 'chai'
import { parseDurationMs, parseDurationWithin } from '../../../src/domain/durations.ts'

describe('durations', () => {
  const READINGS: [string, number | undefined][] = [
    ['250ms', 250],
    ['5s', 5_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    [' 5s ', 5_000],
    ['5', undefined],
    ['x5s', undefined],
    ['5sx', undefined],
    ['999999999ms', 999_999_999],
    ['9999999999ms', undefined],
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

  it('takes the bounds themselves and nothing beyond them', () => {
    const bounds = { shortest: '100ms', longest: '1h' }
    const readings = ['99ms', '100ms', '1s', '60m', '61m', '999999999d', 'soon'].map((text) =>
      parseDurationWithin(text, bounds),
    )
    expect(readings).to.deep.equal([undefined, 100, 1_000, 3_600_000, undefined, undefined, undefined])
  })
})
