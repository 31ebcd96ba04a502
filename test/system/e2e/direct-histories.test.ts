import { expect } from 'chai'
import { isSuccess, kill } from '../../support/crashes.ts'
import { checkHistory } from '../../support/histories.ts'
import { useCrashStack } from '../../support/crash-stack.ts'
import { DIRECT, retryAndResume, startAndRetry } from '../../support/first-attempts.ts'
import { useStack } from '../../support/use-stack.ts'
import { deliver } from '../../support/tenants.ts'

/** Runs one workflow of each kind that follows a direct attempt. checkHistory says how to save the histories. */
describe('the history of a workflow that comes after a direct attempt replays', function () {
  this.timeout(120_000)
  const use = useStack({ environment: { ...DIRECT, DIRECT_RETRIES_WITHIN: '0' } })

  for (const [kind, status, max_retries] of [
    ['handed-over-open', 'success', 3],
    ['handed-over-failed', 'failed', 0],
  ] as const)
    it(kind, async () => {
      const { id } = await deliver(use, status, { retry_schedule: [1], max_retries }, { failTimes: 1 })
      await checkHistory(use.stack, kind, id)
    })
})

/** The same, where the test decides when a worker runs. */
describe('the history of a workflow that comes late after a direct attempt replays', function () {
  this.timeout(120_000)
  const use = useCrashStack({
    environment: DIRECT,
    webhook: { retry_schedule: [1], max_retries: 3 },
  })

  it('begun and retried before its first step', async () => {
    await use.webhook.change({ retry_schedule: [600] })
    use.webhook.behave({ failTimes: 1 })
    const worker = await use.worker()
    worker.temporal.stall()
    const { id } = await use.published(({ attempts }) => attempts === 1)
    await kill(worker)
    await use.webhook.retry(id)
    await startAndRetry(use.stack, id)
    await use.worker()
    const row = await use.delivery(isSuccess)
    expect(row).to.include({ attempts: 2, retry_served: 1 })
    expect(use.requests()).to.have.length(2)
    await checkHistory(use.stack, 'handed-over-retried', id)
  })

  it('begun by a retry of a parked delivery, and resumed before its first step', async () => {
    await use.killWorkers()
    const { id } = await use.published()
    await retryAndResume(use.stack, id)
    await use.worker()
    await use.delivery(isSuccess)
  })

  it('started because two workers took its first attempt on and made no record', async () => {
    await use.killWorkers()
    const { id } = await use.published()
    await use.outbox(id, 1)
    await use.stack.db('outbox').where({ subject_id: id }).update({ tries: 2 })
    await use.worker()
    await use.delivery(isSuccess)
    await checkHistory(use.stack, 'third-claim', id)
  })
})
