import { expect } from 'chai'
import { deliveryWith, isSuccess, kill, newEventId, publish } from '../../support/crashes.ts'
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
  const published = async (isWanted: (row: { attempts: number; status: string }) => boolean) => {
    await use.publish()
    return (await use.delivery(isWanted)).id as string
  }

  it('begun and retried before its first step', async () => {
    await use.webhook.change({ retry_schedule: [600] })
    use.stack.receiver.behave(use.webhook.path, { failTimes: 1 })
    const worker = await use.worker()
    worker.temporal.stall()
    const id = await published(hasFailedOnce)
    await kill(worker)
    await use.webhook.retry(id)
    await startAndRetry(use.stack, id)
    await use.worker()
    const row = await use.delivery(isSuccess)
    expect(row).to.include({ attempts: 2, retry_served: 1 })
    expect(use.requests()).to.have.length(2)
    await checkHistory(use.stack, 'handed-over-retried', id)
  })

  it('started because two workers took its first attempt on and made no record', async () => {
    await use.killWorkers()
    await use.publish()
    const { id } = await use.delivery()
    await use.outbox(id, 1)
    await use.stack.db('outbox').where({ subject_id: id }).update({ tries: 2 })
    await use.worker()
    await use.delivery(isSuccess)
    await checkHistory(use.stack, 'third-claim', id)
  })
})
