import { expect } from 'chai'
import { directUntilOf, type DirectStart } from '../../../src/attempts/attempt-under-way.ts'
import type { Delivery } from '../../../src/domain/delivery/delivery.ts'
import { delivery } from '../../support/deliveries.ts'

const startedAt = new Date('2026-01-05T12:00:00.000Z')
const claimed = new Date('2026-01-05T12:00:07.000Z')

// decision: Direct retries
describe('the time for direct retries', () => {
  const until = (fields: Partial<Delivery>, withinMs: number, directUntil?: Date) => {
    const start = { rows: { delivery: delivery(fields) }, ...(directUntil && { directUntil }) } as DirectStart
    return directUntilOf({ startedAt }, start, withinMs)
  }

  it('begins with the first attempt, and anew with the one that a recovery asked for', () => {
    expect(until({}, 10_000)).to.deep.equal(new Date('2026-01-05T12:00:10.000Z'))
    const recovered = { attempts: 3, recoveryBase: 3 }
    expect(until(recovered, 10_000, claimed)).to.deep.equal(new Date('2026-01-05T12:00:10.000Z'))
    expect(until({}, 0), 'not where it is set to 0').to.equal(undefined)
  })

  it('stays what it was at a retry, and is over at one that comes without it', () => {
    expect(until({ attempts: 1 }, 10_000, claimed)).to.equal(claimed)
    expect(until({ attempts: 1 }, 10_000)).to.equal(undefined)
  })
})
