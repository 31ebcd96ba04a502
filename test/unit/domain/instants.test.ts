import { expect } from 'chai'
import { DAY_MS, floorTo, HOUR_MS, parseInstant } from '../../../src/domain/instants.ts'

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
