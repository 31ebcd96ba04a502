import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { publish } from '../support/crashes.ts'
import { FlippingMaker, startWorkerWith } from '../support/flipping-worker.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'
import type { TestTenant } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.ts'

const FLIP_MS = 200
const PER_SECOND = 60
const SECONDS = 5
/** One of them fails each first attempt: a sixth of all. */
const WEBHOOKS = 6

describe('a worker whose setting of who makes first attempts changes every 200 ms', function () {
  this.timeout(180_000)
  const use = useStack({ workers: 0, processes: true })

  /** Publishes at an even rate, and gives the ids of the events that were accepted. */
  async function publishAll(tenants: readonly TestTenant[]): Promise<string[]> {
    const startedMs = performance.now()
    const publishing: Promise<string[]>[] = []
    for (let n = 0; n < PER_SECOND * SECONDS; n++) {
      const aheadMs = startedMs + (n * 1_000) / PER_SECOND - performance.now()
      if (aheadMs > 0) await delay(aheadMs)
      const id = `evt_${randomUUID()}`
      const isAccepted = ({ status }: { status: number }) => status >= 200 && status < 300
      publishing.push(
        publish(tenants[n % tenants.length]!, id).then((answer) => (isAccepted(answer) ? [id] : [])),
      )
    }
    return (await Promise.all(publishing)).flat()
  }

  // decision: One sender
  it('delivers every event, sends nothing twice, and leaves nothing in the outbox', async () => {
    const tenants = await Promise.all(Array.from({ length: WEBHOOKS }, () => use.stack.tenant()))
    const webhooks: TestWebhook[] = []
    for (const tenant of tenants) webhooks.push(await createTestWebhook(use.stack, tenant))
    use.stack.receiver.behave(webhooks[0]!.path, { failTimes: 1, countBy: 'webhook-id' })
    const maker = new FlippingMaker(FLIP_MS)
    const worker = await startWorkerWith(use.stack, maker)
    let accepted: string[]
    try {
      accepted = await publishAll(tenants)
      await until(
        async () => ((await use.stack.db('outbox').select('id').limit(1)) as unknown[]).length,
        (rows) => rows === 0,
        { withinMs: 120_000, what: 'an empty outbox' },
      )
      const isClosed = { status: 'success' }
      await until(
        async () => ((await use.stack.db('deliveries').whereNot(isClosed).select('id')) as unknown[]).length,
        (rows) => rows === 0,
        { withinMs: 60_000, what: 'the success of every delivery' },
      )
    } finally {
      await worker.stop()
    }
    expect(accepted).to.have.length(PER_SECOND * SECONDS)
    expect(maker.changes).to.be.above((SECONDS * 1_000) / FLIP_MS / 2)
    expect(await use.stack.db('outbox')).to.deep.equal([])

    const rows = await use.stack
      .db('deliveries')
      .select<{ event_id: string; status: string; attempts: number }[]>('event_id', 'status', 'attempts')
    expect(rows.map(({ event_id }) => event_id)).to.have.members(accepted)
    expect(rows.filter(({ status }) => status !== 'success')).to.deep.equal([])
    const received = new Map<unknown, number>()
    for (const { headers } of webhooks.flatMap(({ path }) => use.stack.receiver.requestsTo(path))) {
      received.set(headers['webhook-id'], (received.get(headers['webhook-id']) ?? 0) + 1)
    }
    // Every request is an attempt, and every answer came to a request: on a busy machine an attempt may also time out.
    const answered = await use.stack
      .db('attempts as a')
      .join('deliveries as d', 'd.id', 'a.delivery_id')
      .groupBy('d.event_id')
      .select<{ event_id: string; answers: number }[]>(
        'd.event_id',
        use.stack.db.raw('COUNT(a.response_code) AS answers'),
      )
    const answersOf = new Map(answered.map(({ event_id, answers }) => [event_id, answers]))
    const wrong = rows.filter(({ event_id, attempts }) => {
      const requests = received.get(event_id) ?? 0
      return requests > attempts || requests < (answersOf.get(event_id) ?? 0)
    })
    expect(wrong).to.deep.equal([])
    expect(rows.filter(({ attempts }) => attempts >= 2)).to.have.length.of.at.least(
      accepted.length / WEBHOOKS,
    )

    const first: string[] = await use.stack.db('attempts').where({ number: 1 }).pluck('made_by')
    for (const who of ['workflow', 'worker']) {
      expect(first.filter((maker) => maker === who).length, who).to.be.above(accepted.length / 10)
    }
    await expectSoundRows(use.stack.db)
  })
})
