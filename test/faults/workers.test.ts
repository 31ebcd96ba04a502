// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  newEventId,
  publish,
  QUICK_LEASES,
  TAKE_OVER_MS,
} from '../support/crashes.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'
import type { RunningProcess } from '../support/processes.ts'
import { useStack } from '../support/use-stack.ts'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.ts'
import { useWorkerCrew } from '../support/worker-crew.ts'

describe('several workers', function () {
  this.timeout(120_000)
  const crew = useWorkerCrew(() => use.stack)
  const use = useStack({
    workers: 0,
    environment: { ...QUICK_LEASES, SHUTDOWN_GRACE: '10s' },
    mayLogErrors: true,
  })

  /** Of all webhooks of the test. */
  const countSuccesses = async (): Promise<number> => {
    const { companyId } = use.tenant.tenant
    const [row] = await use.stack
      .db('deliveries')
      .where({ company_id: companyId, status: 'success' })
      .count({ count: '*' })
    return Number(row!.count)
  }
  const createWebhook = (fields?: Record<string, unknown>): Promise<TestWebhook> =>
    createTestWebhook(use.stack, use.tenant, fields)

  /** Publishes so many events in batches of 100. */
  async function publishMany(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 100) {
      const events = Array.from({ length: Math.min(100, count - sent) }, () => ({
        event: 'contact.created',
        data: {},
      }))
      expect((await use.tenant.request('POST', '/api-v1-events', { events })).status).to.equal(201)
    }
  }

  /**
   * Freezes the only worker once `begin` is over and lets it go on when another one has done `takeOver`. Temporal sees
   * the frozen one's connection end: an open one would be given tasks for another minute, until its polls run out.
   */
  async function freezeDuring(
    begin: () => Promise<void>,
    takeOver: () => Promise<unknown>,
  ): Promise<RunningProcess> {
    const worker = await crew.worker()
    try {
      await begin()
      worker.kill('SIGSTOP')
      await worker.temporal.refuse()
      await crew.another()
      await takeOver()
    } finally {
      await worker.temporal.pass()
      worker.kill('SIGCONT')
    }
    return worker
  }

  it('drops what a frozen worker records after another one took its attempt over', async () => {
    const webhook = await createWebhook({ retry_schedule: [600] })
    use.stack.receiver.behave(webhook.path, { delayMs: 500, status: 500 })
    const eventId = newEventId()
    await freezeDuring(
      async () => {
        await publish(use.tenant, eventId)
        await use.stack.receiver.next(webhook.path)
      },
      () => deliveryWith(use.stack, eventId, ({ attempts }) => attempts === 1),
    )
    const later = Array.from({ length: 20 }, newEventId)
    for (const id of later) await publish(use.tenant, id)
    for (const id of later) await deliveryWith(use.stack, id, ({ attempts }) => attempts === 1)
    const sent = use.stack.receiver.requestsTo(webhook.path).map(({ headers }) => headers['webhook-id'])
    expect(sent.filter((id) => id === eventId)).to.have.length(2)
    expect(await deliveryOf(use.stack, eventId)).to.include({ status: 'retrying', attempts: 1 })
    await expectSoundRows(use.stack.db)
  })

  it('lets a worker that is told to stop finish its attempts, and sends none of them twice', async () => {
    const webhook = await createWebhook()
    use.stack.receiver.behave(webhook.path, { delayMs: 1_500 })
    const leaving = await crew.worker()
    await publishMany(25)
    await use.stack.receiver.waitFor(webhook.path, 10)
    expect(await leaving.stop('SIGTERM')).to.equal(0)
    const inFlight = use.stack.receiver.requestsTo(webhook.path).length
    expect(await countSuccesses()).to.equal(inFlight)
    use.stack.receiver.behave(webhook.path, undefined)
    await crew.worker()
    await until(countSuccesses, (count) => count === 25, { withinMs: TAKE_OVER_MS })
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(25)
    await expectSoundRows(use.stack.db)
  })

  // decision: A stop that attempts outlast
  it('ends a worker in good order when attempts outlast its grace period, and makes them again', async () => {
    const webhook = await createWebhook()
    use.stack.receiver.behave(webhook.path, { hang: true })
    const leaving = await crew.worker({ SHUTDOWN_GRACE: '1s' })
    await publishMany(1)
    await use.stack.receiver.waitFor(webhook.path, 1)
    expect(await leaving.stop('SIGTERM')).to.equal(0)
    expect(leaving.output())
      .to.match(/attempts under way are cut/)
      .and.not.match(/"level":"(error|fatal)"/)
    use.stack.receiver.behave(webhook.path, undefined)
    await crew.worker()
    await until(countSuccesses, (count) => count === 1, { withinMs: TAKE_OVER_MS })
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(2)
    await expectSoundRows(use.stack.db)
  })
})
