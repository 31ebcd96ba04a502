import { expect } from 'chai'
import { checkJsonShape } from '../../../../src/domain/fields/storable.ts'

describe('JSON that a caller gives', () => {
  const refusalOf = (value: unknown, what?: string): string | undefined => {
    try {
      checkJsonShape(value as object, what)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) })
  const wide = (count: number) => ({ all: Array.from({ length: count - 1 }, () => null) })

  it('has at most 32 levels and 20,000 values', () => {
    expect([refusalOf(nested(32)), refusalOf(wide(20_000))]).to.deep.equal([undefined, undefined])
    expect(refusalOf(nested(33))).to.equal('The request body is nested deeper than 32 levels.')
    expect(refusalOf([[nested(31)]], '--data')).to.equal('--data is nested deeper than 32 levels.')
    expect(refusalOf(wide(20_001))).to.equal('The request body has more than 20000 values.')
  })

  it('loses no digits: a number that a parser rounds is refused with its place, the first 100 characters of it', () => {
    const most = Number.MAX_SAFE_INTEGER
    expect(refusalOf({ big: [most, -most, 0.1, '1e400'] })).to.equal(undefined)
    const advice = `would lose digits: whole numbers go to ${most}, send larger ones as text.`
    const roundedAt = (place: string) => `The number at "${place}" ${advice}`
    for (const number of [most + 1, -most - 1])
      expect(refusalOf({ data: { items: [{}, { id: number }] } })).to.equal(roundedAt('data.items[1].id'))
    expect(refusalOf({ ['x'.repeat(101)]: 2 ** 53 })).to.equal(roundedAt('x'.repeat(100)))
    expect(refusalOf([[2 ** 53]])).to.equal(roundedAt('[0][0]'))
  })

  it('has no key "__proto__", which would vanish on its way', () => {
    const sent = JSON.parse('{"data":{"__proto__":{"a":1}}}') as object
    expect(refusalOf(sent)).to.equal('The request body has a key "__proto__".')
  })
})
