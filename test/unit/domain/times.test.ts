import { expect } from 'chai'
import { words } from '../../support/words.ts'
import { parseDurationMs, parseDurationWithin } from '../../../src/domain/durations.ts'
import { DAY_MS, floorTo, HOUR_MS, parseInstant } from '../../../src/domain/instants.ts'

describe('durations', () => {
  const LONG = { '2h': 7_200_000, '7d': 604_800_000, '999999999ms': 999_999_999 }
  const READINGS = { '250ms': 250, '5s': 5_000, ' 5s ': 5_000, '5m': 300_000, ...LONG }
  for (const [text, expected] of Object.entries(READINGS))
    it(`reads ${JSON.stringify(text)} as ${expected} ms`, () =>
      expect(parseDurationMs(text)).to.equal(expected))

  it('are nothing else', () => {
    const others = ['', '5 s', ...words('5 x5s 5sx 9999999999ms -5s 1.5s')]
    expect(others.filter((text) => parseDurationMs(text) !== undefined)).to.deep.equal([])
  })

  it('takes the bounds themselves and nothing beyond them', () => {
    const within = (text: string) => parseDurationWithin(text, { shortest: '100ms', longest: '1h' })
    expect(words('100ms 1s 60m').map(within)).to.deep.equal([100, 1_000, 3_600_000])
    expect(words('99ms 61m 999999999d soon').map(within)).to.deep.equal(Array(4).fill(undefined))
  })
})

describe('a point in time', () => {
  const REFUSED = words(`
    2030-02-31T00:00:00Z 2030-02-29T00:00:00+14:00 2030-13-01T00:00:00Z 2030-01-01T25:00:00Z
    9999-12-31T23:59:59-12:00 1000-01-01T00:00:00+12:00 0026-01-31T12:00:00Z 0000-01-01T00:00:00Z +010000-01-01T00:00:00Z 2030-01-31T12:00:00
    2030-01-31 tomorrow x2030-01-31T12:00:00Z 2030-01-31T12:00:00Zx 2030-01-31T12:00:00.1234567890Z
  `)
  const READINGS: [string, string?][] = [
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00+02:00', '2030-01-31T10:00:00.000Z'],
    ['2030-01-31T12:00:00.123456Z', '2030-01-31T12:00:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['1000-01-01T00:00:00Z', '1000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ...REFUSED.map((text): [string] => [text]),
  ]
  for (const [text, expected] of READINGS)
    it(`reads ${text} as ${String(expected)}`, () =>
      expect(parseInstant(text)?.toISOString()).to.equal(expected))

  it('lies in an hour and a day of UTC', () => {
    const time = new Date('2030-01-31T12:59:59.999Z')
    expect(floorTo(time, HOUR_MS).toISOString()).to.equal('2030-01-31T12:00:00.000Z')
    expect(floorTo(time, DAY_MS).toISOString()).to.equal('2030-01-31T00:00:00.000Z')
  })
})
