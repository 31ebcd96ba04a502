import { expect } from 'chai'
import { parseDurationMs, parseDurationWithin } from '../../../src/domain/durations.ts'
import { DAY_MS, floorTo, HOUR_MS, parseInstant } from '../../../src/domain/instants.ts'

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

describe('a point in time', () => {
  const READINGS: [string, string | undefined][] = [
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00+02:00', '2030-01-31T10:00:00.000Z'],
    ['2030-01-31T12:00:00.123456Z', '2030-01-31T12:00:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['2030-02-31T00:00:00Z', undefined],
    ['2030-02-29T00:00:00+14:00', undefined],
    ['2030-13-01T00:00:00Z', undefined],
    ['2030-01-01T25:00:00Z', undefined],
    ['9999-12-31T23:59:59-12:00', undefined],
    ['0000-01-01T00:00:00+12:00', undefined],
    ['+010000-01-01T00:00:00Z', undefined],
    ['2030-01-31T12:00:00', undefined],
    ['2030-01-31', undefined],
    ['tomorrow', undefined],
    ['x2030-01-31T12:00:00Z', undefined],
    ['2030-01-31T12:00:00Zx', undefined],
    ['2030-01-31T12:00:00.1234567890Z', undefined],
  ]
  for (const [text, expected] of READINGS) {
    it(`reads ${text} as ${String(expected)}`, () => {
      expect(parseInstant(text)?.toISOString()).to.equal(expected)
    })
  }

  it('lies in an hour and a day of UTC', () => {
    const time = new Date('2030-01-31T12:59:59.999Z')
    expect(floorTo(time, HOUR_MS).toISOString()).to.equal('2030-01-31T12:00:00.000Z')
    expect(floorTo(time, DAY_MS).toISOString()).to.equal('2030-01-31T00:00:00.000Z')
  })
})
