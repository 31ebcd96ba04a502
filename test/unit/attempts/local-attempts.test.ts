import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { LocalAttempts } from '../../../src/attempts/local-attempts.ts'
import type { AttemptReport } from '../../../src/domain/delivery/attempt-report.ts'

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
