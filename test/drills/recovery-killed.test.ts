import { expect } from 'chai'
import { mostUnderWay } from '../../src/domain/recovery/recovery.ts'
import { kill, QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { until, untilSo, untilThere } from '../support/poll.ts'
import type { RunningProcess } from '../support/processes.ts'
import { type Json, createContact, createTestWebhook, type TestWebhook } from '../support/tenants.ts'
import { drill } from '../support/recovery-drill.ts'
import { usePart, useStack } from '../support/use-stack.ts'

const SLOTS = 4
const ANSWER_MS = 75
const KILLS = 2
/** The number of failed deliveries, enough for both kills. */
const FAILURES = 60
/** The number of rows that the recovery queues before each kill. */
const PROGRESS = 10

describe('a recovery whose worker is killed', function () {
  this.timeout(240_000)
  const use = useStack({
    environment: { ...QUICK_LEASES, DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: String(SLOTS) },
    workers: 0,
    mayLogErrors: true,
  })
  const firstWorker = usePart(() => use.stack.spawnWorker())
  let latest: RunningProcess | undefined

  /** Kills the only worker, and starts another one. */
  async function replaceWorker(): Promise<void> {
    await kill(latest ?? firstWorker())
    latest = await use.stack.spawnWorker()
  }

  const queuedNow = async (): Promise<number> => {
    const row = await use.stack.db('recoveries').first<{ queued: number } | undefined>('queued')
    return row?.queued ?? 0
  }

  async function killTwice(isRunning: () => boolean): Promise<void> {
    for (let time = 0; time < KILLS; time++) {
      const queuedBefore = await queuedNow()
      const hasMoved = async () => !isRunning() || (await queuedNow()) > queuedBefore + PROGRESS
      await untilSo(hasMoved, { withinMs: 2 * TAKE_OVER_MS, what: 'progress of the recovery' })
      expect(isRunning(), 'the recovery runs when its worker is killed').to.equal(true)
      await replaceWorker()
    }
  }

  // decision: What a drill asserts
  it('twice in the middle brings all that failed, and repeats nothing but what was on the wire', async function () {
    const options = { stack: use.stack, tenant: use.tenant, answerMs: ANSWER_MS, outageFailures: FAILURES }
    const facts = await drill({ ...options, disturb: (_, isRunning) => killTwice(isRunning) })
    expect(facts.recovered).to.be.at.least(facts.failed * 0.99)
    expect(facts.recovery).to.include({ status: 'done' })
    expect(facts.lost).to.deep.equal([])
    // A request is repeated when its worker dies before it records the answer.
    expect(facts.twice).to.have.length.at.most(KILLS * SLOTS)
    expect(facts.looks.mostUnderWay).to.be.at.most(mostUnderWay(SLOTS))
    this.runnable().title += ` (${facts.failed} in ${facts.seconds.toFixed(1)} s, ${facts.twice.length} of them twice)`
  })

  // decision: Rounds of a recovery
  it('while it waits for attempts goes on, and gives its place to the next one', async () => {
    const { stack, tenant } = use
    const webhooks: TestWebhook[] = []
    for (let number = 0; number < 6; number++)
      webhooks.push(await createTestWebhook(stack, tenant, { max_retries: 0 }))
    for (const { path } of webhooks) stack.receiver.behave(path, { status: 500 })
    await createContact(tenant)
    for (const { deliveries, path } of webhooks) {
      await untilThere(() => deliveries('?status=failed'), 1)
      stack.receiver.behave(path, { delayMs: 2_000 })
    }
    const begun: Json[] = []
    for (const { recover } of webhooks) begun.push((await recover()).body.data)
    expect(begun.at(-1)).to.include({ status: 'queued' })
    const ids = begun.map(({ id }) => id as string)
    const waits = (): Promise<Json[]> => stack.db('recoveries').whereIn('id', ids).orderBy('created_at')
    const ofStates = (rows: Json[]) => rows.map(({ state }) => state as string)
    await until(waits, (rows) => rows[0].wakes_at !== null)
    await replaceWorker()
    const areDone = async () => ofStates(await waits()).every((state) => state === 'done')
    await untilSo(areDone, { withinMs: 4 * TAKE_OVER_MS, what: 'the end of all six' })
  })
})
