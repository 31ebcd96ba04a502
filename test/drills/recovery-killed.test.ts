import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { kill, QUICK_LEASES } from '../support/crashes.js'
import { until } from '../support/poll.js'
import { drill } from '../support/recovery-drill.js'
import { useStack } from '../support/use-stack.js'

const SLOTS = 4
const KILLS = 2

describe('a recovery whose worker is killed twice in the middle', function () {
  this.timeout(180_000)
  const use = useStack({
    environment: { ...QUICK_LEASES, DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: String(SLOTS) },
    mayLogErrors: true,
  })

  // decision: Each row once
  it('brings all that failed, and repeats nothing but what was on the wire', async () => {
    const queuedNow = async (): Promise<number> => {
      const row = await use.stack.db('recoveries').first<{ queued: number } | undefined>('queued')
      return row?.queued ?? 0
    }
    const disturb = async (isRunning: () => Promise<boolean>): Promise<void> => {
      let [worker] = use.stack.workers
      for (let time = 0; time < KILLS; time++) {
        const queuedBefore = await queuedNow()
        await until(
          async () => (await queuedNow()) > queuedBefore + 10 || !(await isRunning()),
          (hasMoved) => hasMoved,
          { withinMs: 60_000, what: 'progress of the recovery' },
        )
        expect(await isRunning(), 'the recovery runs when its worker is killed').to.equal(true)
        await kill(worker!)
        await delay(200)
        worker = await use.stack.startWorker()
      }
    }
    const facts = await drill({ stack: use.stack, tenant: use.tenant, answerMs: 75, disturb })
    expect(facts.recovered).to.be.at.least(facts.failed * 0.99)
    expect(facts.recovery).to.include({ status: 'done' })
    expect(facts.lost).to.deep.equal([])
    // A request whose worker dies before it records the answer is made again.
    expect(facts.twice).to.have.length.at.most(KILLS * SLOTS)
  })
})
