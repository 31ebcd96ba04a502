import { expect } from 'chai'
import fc from 'fast-check'
import { shareRows } from '../../src/relay/fairness.js'

const lane = (companyId: string, name: string) => ({ companyId, lane: `${companyId}/${name}` })

describe('sharing rows between companies', () => {
  it('gives a company with one webhook as much as one with a thousand', () => {
    const crowd = Array.from({ length: 1_000 }, (_, index) => lane('big', String(index)))
    const shares = shareRows([...crowd, lane('small', 'only')], () => 10, 20)
    const small = shares
      .filter(({ companyId }) => companyId === 'small')
      .reduce((sum, { rows }) => sum + rows, 0)
    expect(small).to.equal(10)
    expect(shares.reduce((sum, { rows }) => sum + rows, 0)).to.equal(20)
  })

  it('skips webhooks without a free slot and never gives one more than it has', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(30), fc.nat(12)), { maxLength: 40 }),
        fc.nat(64),
        (entries, rows) => {
          const free = new Map(entries.map(([company, name, slots]) => [`${company}/${name}`, slots]))
          const lanes = [...free.keys()].map((key) => ({ companyId: key.slice(0, 1), lane: key }))
          const shares = shareRows(lanes, (key) => free.get(key) ?? 0, rows)
          for (const share of shares) expect(share.rows).to.be.within(1, free.get(share.lane) ?? 0)
          const possible = [...free.values()].reduce((sum, slots) => sum + slots, 0)
          expect(shares.reduce((sum, share) => sum + share.rows, 0)).to.equal(Math.min(rows, possible))
        },
      ),
    )
  })
})
