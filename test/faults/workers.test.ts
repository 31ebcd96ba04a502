// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { deliveryOf, deliveryWith, QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { BY_WORKFLOWS, DIRECT } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { type RunningPart, readinessOf } from '../support/running-parts.ts'
import { until, untilIncludes, untilIs, untilThere } from '../support/poll.ts'
import { startHeldEndpoint, type HeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { type Json, createTestWebhook, publishMany } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { useWorkerCrew } from '../support/worker-crew.ts'

describe('several workers', function () {
  this.timeout(120_000)
  const crew = useWorkerCrew(() => use.stack)
  const use = useStack({
    workers: 0,
    environment: { ...QUICK_LEASES, SHUTDOWN_GRACE: '10s' },
    mayLogErrors: true,
  })
  const endpoints = useEndpointsOn(use)
  afterEach(() => expectSoundRows(use.stack.db))

  /** The requests of all webhooks of the test. */
  const countSuccesses = () =>
    use.stack.count('deliveries', { company_id: use.tenant.tenant.companyId, status: 'success' })
  const isAttempted = ({ attempts }: { attempts: number }) => attempts === 1

  /** Makes a webhook with an endpoint that answers when the test says so. */
  async function holdAnswers(fields: object = {}): Promise<HeldEndpoint> {
    const endpoint = await startHeldEndpoint(endpoints)
    await createTestWebhook(use.stack, use.tenant, { url: endpoint.url, ...fields })
    return endpoint
  }

  /** Starts a worker in this process in place of the crew's. Its attempts do not time out while a test waits. */
  async function onlyWorker(more: Record<string, string> = {}): Promise<RunningPart> {
    await crew.killAll()
    return use.stack.startWorker({ WEBHOOK_TIMEOUT: '20s', ...more })
  }

  it('drops what a frozen worker records after another one took its attempt over', async () => {
    const endpoint = await holdAnswers({ retry_schedule: [600] })
    const frozen = await crew.worker()
    const [eventId = ''] = await publishMany(use.tenant, 1)
    let next: RunningPart
    try {
      await endpoint.arrived(1)
      frozen.kill('SIGSTOP')
      // Close the connection, because Temporal would give an open one tasks for another minute, until its polls end.
      await frozen.temporal.refuse()
      next = await use.stack.startWorker()
      await endpoint.arrived(2)
      endpoint.answerAll(500)
      await deliveryWith(use.stack, eventId, isAttempted)
    } finally {
      await frozen.temporal.pass()
      frozen.kill('SIGCONT')
    }
    for (const id of await publishMany(use.tenant, 20)) await deliveryWith(use.stack, id, isAttempted)
    expect(endpoint.requests.filter((request) => request.includes(eventId))).to.have.length(2)
    expect(await deliveryOf(use.stack, eventId)).to.include({ status: 'retrying', attempts: 1 })
    await next.stop()
  })

  it('lets a worker that is told to stop finish its attempts, and sends none of them twice', async () => {
    const endpoint = await holdAnswers()
    const leaving = await onlyWorker()
    await publishMany(use.tenant, 25)
    await endpoint.arrived(10)
    const left = leaving.stop()
    await untilIncludes(() => leaving.output(), 'worker stops')
    endpoint.answerAll(200)
    expect(await left).to.equal(0)
    expect(await countSuccesses()).to.equal(endpoint.requests.length)
    const next = await use.stack.startWorker()
    await untilIs(countSuccesses, 25, { withinMs: TAKE_OVER_MS })
    expect(endpoint.requests).to.have.length(25)
    await next.stop()
  })

  it('hands no more work of Temporal to a worker that stops, while its own attempts end', async () => {
    const endpoint = await holdAnswers()
    const leaving = await onlyWorker({ DELIVERY_FIRST_ATTEMPT: 'direct' })
    const [eventId] = await publishMany(use.tenant, 1)
    await endpoint.arrived(1)
    const left = leaving.stop()
    const isWorking = async () => (await readinessOf(leaving)).parts['worker']
    await untilIs(isWorking, false, { withinMs: 8_000 })
    endpoint.answerAll(200)
    expect(await left).to.equal(0)
    expect(await deliveryOf(use.stack, eventId!)).to.include({ status: 'success', attempts: 1 })
  })

  // decision: Several workers
  it('deliver every event once, and retry every failure, where one leaves first attempts to workflows and one does not', async () => {
    await crew.killAll()
    const making = [1, 2, 3, 4].map(() => createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] }))
    const webhooks = await Promise.all(making)
    const failing = webhooks[0]!
    failing.behave({ failTimes: 12, status: 500 })
    // A busy machine must not make an answer late, because a timed-out event is rightly sent again.
    const both = [DIRECT, BY_WORKFLOWS].map((way) =>
      use.stack.startWorker({ ...way, WEBHOOK_TIMEOUT: '10s' }),
    )
    const workers = await Promise.all(both)
    for (let round = 0; round < 5; round++) await publishMany(use.tenant, 12)
    for (const webhook of webhooks) {
      const isDone = ({ successful_deliveries: count }: Json) => count === 60
      await until(webhook.get, isDone, { withinMs: TAKE_OVER_MS })
      const sent = webhook.requests().map(({ headers }) => headers['webhook-id'])
      expect([new Set(sent).size, sent.length]).to.deep.equal([60, webhook === failing ? 72 : 60])
    }
    const ids = use.stack.db('deliveries').where({ company_id: use.tenant.tenant.companyId }).select('id')
    const firsts = use.stack.db('attempts').where({ number: 1 }).whereIn('delivery_id', ids)
    expect(new Set(await firsts.pluck('made_by'))).to.deep.equal(new Set(['worker', 'workflow']))
    // A workflow may have made its attempt before the relay removes the start command.
    await untilThere(() => use.stack.db('outbox').where({ company_id: use.tenant.tenant.companyId }), 0)
    await Promise.all(workers.map((worker) => worker.stop()))
  })

  // decision: A stop that attempts outlast
  it('ends a worker in good order when attempts outlast its grace period, and makes them again', async () => {
    const endpoint = await holdAnswers()
    // Otherwise the attempt would end by itself on a machine that needs seconds for the stop.
    const leaving = await crew.worker({ SHUTDOWN_GRACE: '1s', WEBHOOK_TIMEOUT: '6s' })
    await publishMany(use.tenant, 1)
    await endpoint.arrived(1)
    expect(await leaving.stop('SIGTERM')).to.equal(0)
    expect(leaving.output())
      .to.match(/attempts under way are cut/)
      .and.not.match(/"level":"(error|fatal)"/)
    endpoint.answerAll(200)
    await use.stack.startWorker()
    await untilIs(countSuccesses, 1, { withinMs: TAKE_OVER_MS })
    expect(endpoint.requests).to.have.length(2)
  })
})
