import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  isSuccess,
  newEventId,
  publish,
  TAKE_OVER_MS,
} from '../../support/crashes.ts'
import { useCrashStack } from '../../support/crash-stack.ts'
import { hasWorkflow, makerChanges, makersOf } from '../../support/first-attempts.ts'
import { expectSoundRows, expectSoundRowsOf } from '../../support/invariants.ts'
import { readMetric } from '../../support/metrics.ts'
import { until, untilIs } from '../../support/poll.ts'
import { usePart } from '../../support/use-part.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, publishMany } from '../../support/webhooks.ts'

describe('first attempts that adapt to the load', function () {
  this.timeout(60_000)
  const use = useStack({ workers: 0 })
  const worker = usePart(() =>
    use.stack.startWorker({ DELIVERY_FIRST_ATTEMPT: 'adaptive', WORKFLOW_FIRST_ATTEMPTS_PER_SECOND: '5' }),
  )

  it('are made by workflows in calm hours, and by the worker itself in a burst', async () => {
    const gauge = () => readMetric(worker(), 'webhook_first_attempts_direct')
    const calm = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id } = await calm.delivery('success')
    expect(await makersOf(use.stack, id)).to.deep.equal(['workflow'])
    expect(await hasWorkflow(use.stack, id)).to.equal(true)
    expect(await gauge()).to.equal(0)

    const other = await use.stack.tenant()
    const webhook = await createTestWebhook(use.stack, other)
    await publishMany(other, 100)
    await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 100)
    expect(await gauge()).to.equal(1)
    expect(makerChanges(worker())).to.deep.equal([
      { direct: false, reason: 'started' },
      { direct: true, reason: 'many first attempts' },
    ])
    const makers = await use.stack
      .db('attempts as a')
      .join('deliveries as d', 'd.id', 'a.delivery_id')
      .where({ 'd.webhook_id': webhook.id })
      .pluck('a.made_by')
    expect(makers).to.have.length(100).and.include('worker')
    expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(100)
    await expectSoundRows(use.stack.db, other.tenant.companyId)
  })
})

describe('first attempts that adapt to a Temporal that does not answer', function () {
  this.timeout(90_000)
  const use = useCrashStack({ environment: { DELIVERY_FIRST_ATTEMPT: 'adaptive' } })

  it('are made by the worker itself, once a call has missed its deadline', async () => {
    const worker = await use.worker()
    worker.temporal.stall()
    await publish(use.tenant, use.eventId)
    await untilIs(() => makerChanges(worker).length, 2, {
      withinMs: TAKE_OVER_MS,
      what: 'a change to direct first attempts',
    })
    expect(makerChanges(worker).at(-1)).to.deep.equal({ direct: true, reason: 'Temporal is slow' })
    const later = newEventId()
    await publish(use.tenant, later)
    const direct = await deliveryWith(use.stack, later, isSuccess)
    expect(await makersOf(use.stack, direct.id as string)).to.deep.equal(['worker'])
    // The first one may have a workflow by now, so it stays with Temporal.
    expect(await deliveryOf(use.stack, use.eventId)).to.include({ status: 'pending', in_temporal: 1 })
    await worker.temporal.pass()
    const first = await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(await makersOf(use.stack, first.id as string)).to.deep.equal(['workflow'])
    expect(use.requests()).to.have.length(2)
    await expectSoundRowsOf(use)
  })
})
