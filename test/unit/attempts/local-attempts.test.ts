import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { directUntilOf, type DirectStart } from '../../../src/attempts/attempt-under-way.ts'
import { LocalAttempts } from '../../../src/attempts/temporal-load.ts'
import type { AttemptReport } from '../../../src/domain/delivery/view.ts'
import type { Delivery } from '../../../src/domain/delivery/delivery.ts'
import { delivery } from '../../support/deliveries.ts'

describe('first attempts in tasks of workflows', () => {
  const SUCCESS: AttemptReport = { kind: 'closed', ending: 'success' }

  // decision: A workflow's first attempt is a local activity
  it('are made once for a delivery whose task comes again, and give both tasks the same report', async () => {
    const local = new LocalAttempts()
    let made = 0
    const attempt = async () => {
      made += 1
      await setImmediate()
      return SUCCESS
    }
    const both = [local.make('del_1', attempt), local.make('del_1', attempt)]
    expect(await Promise.all(both)).to.deep.equal([SUCCESS, SUCCESS])
    expect(made).to.equal(1)
    await local.make('del_1', attempt)
    expect(made).to.equal(2)
  })

  it('are 40 at once, and one that failed by our fault makes room again', async () => {
    const local = new LocalAttempts()
    const fail = async () => {
      await setImmediate()
      throw new Error('ours')
    }
    const made = Array.from({ length: 40 }, (_, index) => {
      expect(local.isFull()).to.equal(false)
      return local.make(`del_${index}`, fail)
    })
    expect(local.isFull()).to.equal(true)
    expect((await Promise.allSettled(made)).every(({ status }) => status === 'rejected')).to.equal(true)
    expect(local.isFull()).to.equal(false)
  })
})

const startedAt = new Date('2026-01-05T12:00:00.000Z')
const claimed = new Date('2026-01-05T12:00:07.000Z')

// decision: Direct retries
describe('the time for direct retries', () => {
  const until = (fields: Partial<Delivery>, withinMs: number, directUntil?: Date) => {
    const start = { rows: { delivery: delivery(fields) }, ...(directUntil && { directUntil }) } as DirectStart
    return directUntilOf({ startedAt }, start, withinMs)
  }

  it('begins with the first attempt, and anew with the one that a recovery asked for; it stays what it was at a retry, and is over at one that comes without it', () => {
    expect(until({}, 10_000)).to.deep.equal(new Date('2026-01-05T12:00:10.000Z'))
    const recovered = { attempts: 3, recoveryBase: 3 }
    expect(until(recovered, 10_000, claimed)).to.deep.equal(new Date('2026-01-05T12:00:10.000Z'))
    expect(until({}, 0), 'not where it is set to 0').to.equal(undefined)
    expect(until({ attempts: 1 }, 10_000, claimed)).to.equal(claimed)
    expect(until({ attempts: 1 }, 10_000)).to.equal(undefined)
  })
})
