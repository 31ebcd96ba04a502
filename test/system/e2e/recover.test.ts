import { expect } from 'chai'
import { currentDetails, workflowOf } from '../../support/crashes.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import type { RecoveryProgress } from '../../../src/workflows/contract.ts'
import { PROGRESS_QUERY, RECOVERY_QUEUE, recoveryWorkflowId } from '../../../src/workflows/contract.ts'
import { readMetric } from '../../support/running-parts.ts'
import { until, untilIs, untilThere } from '../../support/poll.ts'
import { type Json, createContact, createTestWebhook, type TestWebhook } from '../../support/tenants.ts'
import { startHeldEndpoint, useEndpointsOn } from '../../support/stack-endpoints.ts'
import { usePart, useStack } from '../../support/use-stack.ts'

for (const firstAttempt of ['workflow', 'direct'])
  describe(`a recovery, with first attempts by ${firstAttempt}`, function () {
    this.timeout(60_000)
    const use = useStack({ workers: 0 })
    const endpoints = useEndpointsOn(use)
    const limits = { WEBHOOK_CONCURRENCY: '2', WEBHOOK_TIMEOUT: '15s' }
    const worker = usePart(() => use.stack.startWorker({ DELIVERY_FIRST_ATTEMPT: firstAttempt, ...limits }))
    const recover = async (webhook: TestWebhook): Promise<Json> => {
      const answer = await webhook.recover()
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
      return answer.body.data
    }
    const ended = (webhook: TestWebhook, id: string) => {
      const isOver = ({ status }: Json) => status !== 'running' && status !== 'queued'
      return until(() => webhook.recovery(id), isOver, { withinMs: 40_000, what: 'the end of the recovery' })
    }
    /** The task queues of the rounds, one per round. */
    const roundsOf = async (id: string): Promise<string[]> =>
      (await use.stack.eventsOf(recoveryWorkflowId(id))).flatMap(
        ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.taskQueue?.name ?? [],
      )
    const handle = (id: string) => use.stack.temporal.workflow.getHandle(recoveryWorkflowId(id))

    const counted = (name: string, labels: Record<string, string>) => readMetric(worker(), name, labels)

    /** A webhook with an endpoint that answers 500, and `count` failed deliveries. */
    async function failing(count: number): Promise<TestWebhook> {
      const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
      webhook.behave({ status: 500 })
      for (let number = 0; number < count; number++) await createContact(use.tenant)
      await untilThere(() => webhook.deliveries('?status=failed&limit=100'), count)
      return webhook
    }

    /**
     * Waits until no workflow of the failed deliveries runs or can start. After all other work the relay hands a direct
     * attempt that failed for good to a workflow. While that workflow may run, a recovery leaves the attempt to it.
     */
    async function endOfRuns(webhook: TestWebhook): Promise<void> {
      const ids = (await webhook.deliveries('?limit=100')).map(({ id }) => id as string)
      await untilThere(() => use.stack.db('outbox').whereIn('subject_id', ids), 0)
      const isOver = ({ status }: { status: { name: string } }) => status.name !== 'RUNNING'
      await Promise.all(ids.map((id) => workflowOf(use.stack, id, isOver)))
    }

    it('brings everything that failed once the endpoint is back, each once', async () => {
      const webhook = await failing(9)
      await endOfRuns(webhook)
      webhook.behave({})
      const { id, status, total } = await recover(webhook)
      expect({ status, total }).to.deep.equal({ status: 'running', total: 9 })
      expect(await ended(webhook, id)).to.include({ status: 'done', queued: 9, stopped_reason: null })
      const all = await webhook.deliveries('?status=success&limit=100')
      expect(all).to.have.length(9)
      expect(webhook.requests()).to.have.length(18)
      const { attempt_log: log } = await webhook.detail(all[0].id)
      expect(log.map(({ trigger }: Json) => trigger)).to.deep.equal(['scheduled', 'recovery'])
      expect(log[1].made_by).to.equal(firstAttempt === 'direct' ? 'worker' : 'workflow')
      const totals = { total_deliveries: 9, successful_deliveries: 9, failed_deliveries: 0 }
      expect(await webhook.get()).to.include(totals)
      expect(await counted('webhook_recovered_deliveries_total', { recovers: 'failed' })).to.equal(9)
      // The worker updates its metric just after its commit.
      const done = { outcome: 'done', reason: 'none' }
      await untilIs(() => counted('webhook_recoveries_ended_total', done), 1)
      await expectSoundRowsOf(use)
    })

    // The rest does not depend on the way to first attempts.
    if (firstAttempt === 'direct') return

    // decision: A queue for recoveries
    it('shows in Temporal how far it has come, and ends as its row does', async () => {
      const webhook = await failing(5)
      const endpoint = await startHeldEndpoint(endpoints)
      await webhook.change({ url: endpoint.url })
      const { id } = await recover(webhook)
      const ask = () => handle(id).query<RecoveryProgress>(PROGRESS_QUERY)
      const progress = await until(
        () => ask().catch(() => undefined),
        (found) => found?.waitsFor === 'attempts',
      )
      const waiting = { status: 'running', stoppedReason: null, waitsFor: 'attempts' }
      expect(progress).to.deep.equal({ ...waiting, total: 5, queued: 4 })
      expect(await currentDetails(use.stack, recoveryWorkflowId(id))).to.match(
        /^\*\*Waiting\*\*: the attempts of those that are queued are awaited\.\s+Queued: 4 of 5$/,
      )
      expect(await webhook.recovery(id)).to.include({ waits_for: 'attempts' })
      endpoint.answerAll(200)
      await ended(webhook, id)
      expect(await handle(id).result()).to.include({ status: 'done', queued: 5 })
      expect(new Set(await roundsOf(id))).to.deep.equal(new Set([RECOVERY_QUEUE]))
    })
  })
