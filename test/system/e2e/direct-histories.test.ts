import { expect } from 'chai'
import {
  deliveryOf,
  deliveryWith,
  isSuccess,
  kill,
  newEventId,
  outboxRows,
  publish,
} from '../../support/crashes.ts'
import { checkHistory } from '../../support/check-history.ts'
import { useCrashStack } from '../../support/crash-stack.ts'
import { DIRECT, startAndRetry } from '../../support/first-attempts.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createTestWebhook } from '../../support/webhooks.ts'

const hasFailedOnce = ({ attempts }: { attempts: number }) => attempts === 1

/** Lives one workflow of each kind that follows a direct attempt; checkHistory says how to save them. */
describe('the history of a workflow that comes after a direct attempt replays', function () {
  this.timeout(120_000)
  const use = useStack({ environment: { ...DIRECT, DIRECT_RETRIES_WITHIN: '0' } })
  const FIELDS = { retry_schedule: [1], max_retries: 3 }
  const published = async (isWanted: (row: Json) => boolean) => {
    const eventId = newEventId()
    await publish(use.tenant, eventId)
    return (await deliveryWith(use.stack, eventId, isWanted)).id as string
  }

  it('begun open, then success', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, FIELDS)
    use.stack.receiver.behave(webhook.path, { failTimes: 1 })
    await checkHistory(use.stack, 'handed-over-open', await published(isSuccess))
  })

  it('begun when it had failed for good', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { ...FIELDS, max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    const id = await published(({ status }) => status === 'failed')
    await checkHistory(use.stack, 'handed-over-failed', id)
  })
})

/** The same where the test decides when a worker is there. */
describe('the history of a workflow that comes late after a direct attempt replays', function () {
  this.timeout(120_000)
  const use = useCrashStack({
    environment: DIRECT,
    webhook: { retry_schedule: [1], max_retries: 3 },
  })
  const path = () => `/api-v1-webhooks/${use.webhook.id}`
  const published = async (isWanted: (row: { attempts: number; status: string }) => boolean) => {
    await publish(use.tenant, use.eventId)
    return (await deliveryWith(use.stack, use.eventId, isWanted)).id as string
  }

  it('begun and retried before its first step', async () => {
    await use.tenant.request('PATCH', path(), { retry_schedule: [600] })
    use.stack.receiver.behave(use.webhook.path, { failTimes: 1 })
    const worker = await use.worker()
    worker.temporal.stall()
    const id = await published(hasFailedOnce)
    await kill(worker)
    await use.tenant.request('POST', `${path()}/deliveries/${id}/retry`)
    await startAndRetry(use.stack, id)
    await use.worker()
    const row = await deliveryWith(use.stack, use.eventId, isSuccess)
    expect(row).to.include({ attempts: 2, retry_served: 1 })
    expect(use.requests()).to.have.length(2)
    await checkHistory(use.stack, 'handed-over-retried', id)
  })

  it('started because two workers took its first attempt on and made no record', async () => {
    await use.killWorkers()
    await publish(use.tenant, use.eventId)
    const { id } = await deliveryOf(use.stack, use.eventId)
    await outboxRows(use.stack, id, 1)
    await use.stack.db('outbox').where({ subject_id: id }).update({ tries: 2 })
    await use.worker()
    await deliveryWith(use.stack, use.eventId, isSuccess)
    await checkHistory(use.stack, 'third-claim', id)
  })
})
