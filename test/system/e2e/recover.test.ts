import { expect } from 'chai'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import {
  PROGRESS_QUERY,
  RECOVERY_QUEUE,
  recoveryWorkflowId,
  type RecoveryProgress,
} from '../../../src/workflows/contract.ts'
import { workflowOf } from '../../support/crashes.ts'
import { currentDetails } from '../../support/current-details.ts'
import { readMetric } from '../../support/metrics.ts'
import type { RunningPart } from '../../support/outputs.ts'
import { until, untilIs } from '../../support/poll.ts'
import type { Json } from '../../support/tenants.ts'
import { usePart } from '../../support/use-part.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

const SINCE = '2020-01-01T00:00:00Z'

for (const firstAttempt of ['workflow', 'direct']) {
  describe(`a recovery, with first attempts by ${firstAttempt}`, function () {
    this.timeout(60_000)
    const use = useStack({ workers: 0 })
    const worker = usePart(() =>
      use.stack.startWorker({
        DELIVERY_FIRST_ATTEMPT: firstAttempt,
        WEBHOOK_CONCURRENCY: '2',
        RECONCILE_AFTER: '1s',
      }),
    )
    const path = ({ id }: TestWebhook) => `/api-v1-webhooks/${id}`
    const recover = async (webhook: TestWebhook, body: object = { since: SINCE }): Promise<Json> => {
      const answer = await use.tenant.request('POST', `${path(webhook)}/recover`, body)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
      return answer.body.data
    }
    const shown = async (webhook: TestWebhook, id: string): Promise<Json> =>
      (await use.tenant.request('GET', `${path(webhook)}/recoveries/${id}`)).body.data
    const ended = (webhook: TestWebhook, id: string) =>
      until(
        () => shown(webhook, id),
        ({ status }: Json) => status !== 'running',
        { withinMs: 40_000, what: 'the end of the recovery' },
      )
    const handle = (id: string) => use.stack.temporal.workflow.getHandle(recoveryWorkflowId(id))

    const recovered = (recovers: string) =>
      readMetric(worker(), 'webhook_recovered_deliveries_total', { recovers })
    const endedIn = (of: RunningPart, labels: { outcome: string; reason: string }) =>
      readMetric(of, 'webhook_recoveries_ended_total', labels)

    /** A webhook whose endpoint answers 500, and so many deliveries of it that failed. */
    async function failing(count: number): Promise<TestWebhook> {
      const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
      use.stack.receiver.behave(webhook.path, { status: 500 })
      for (let number = 0; number < count; number++) await createContact(use.tenant)
      await until(
        () => webhook.deliveries('?status=failed&limit=100'),
        (failed) => failed.length === count,
      )
      return webhook
    }

    it('brings everything that failed once the endpoint is back, each once', async () => {
      const webhook = await failing(9)
      use.stack.receiver.behave(webhook.path, {})
      const { id, status, total } = await recover(webhook)
      expect({ status, total }).to.deep.equal({ status: 'running', total: 9 })
      expect(await ended(webhook, id as string)).to.include({
        status: 'done',
        queued: 9,
        stopped_reason: null,
      })
      const all = await webhook.deliveries('?status=success&limit=100')
      expect(all).to.have.length(9)
      expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(18)
      const { attempt_log: log } = await webhook.detail(all[0].id as string)
      expect(log.map(({ trigger }: Json) => trigger)).to.deep.equal(['scheduled', 'recovery'])
      expect(log[1].made_by).to.equal(firstAttempt === 'direct' ? 'worker' : 'workflow')
      expect(await webhook.get()).to.include({
        total_deliveries: 9,
        successful_deliveries: 9,
        failed_deliveries: 0,
      })
      expect(await recovered('failed')).to.equal(9)
      // The worker counts just after its commit.
      await untilIs(() => endedIn(worker(), { outcome: 'done', reason: 'none' }), 1)
      await expectSoundRowsOf(use)
    })

    // decision: Missed events
    it('brings the events that a pause of the webhook missed, each once', async () => {
      const webhook = await createTestWebhook(use.stack, use.tenant)
      await createContact(use.tenant)
      await webhook.delivery('success')
      await use.tenant.request('PATCH', path(webhook), { is_active: false })
      for (let number = 0; number < 5; number++) await createContact(use.tenant)
      await use.tenant.request('PATCH', path(webhook), { is_active: true })
      const { id, total, recovers } = await recover(webhook, { since: SINCE, status: 'missed' })
      expect({ total, recovers }).to.deep.equal({ total: 5, recovers: 'missed' })
      expect(await ended(webhook, id as string)).to.include({ status: 'done', queued: 5 })
      expect(await recovered('missed')).to.equal(5)
      expect(await webhook.get()).to.include({ total_deliveries: 6, successful_deliveries: 6 })
      expect(use.stack.receiver.requestsTo(webhook.path)).to.have.length(6)
      const again = await recover(webhook, { since: SINCE, status: 'missed' })
      expect(await ended(webhook, again.id as string)).to.include({ status: 'done', total: 0, queued: 0 })
      await expectSoundRowsOf(use)
    })

    // The rest does not depend on who makes first attempts.
    if (firstAttempt === 'direct') return

    it('ends when the endpoint still fails', async () => {
      const webhook = await failing(22)
      // The breaker would let one go each second at first, and one each minute later.
      const forget = { consecutive_failures: 0, probe_at: null, limited_until: null }
      const health = use.stack.db('webhook_health').where({ webhook_id: webhook.id })
      const { id } = await recover(webhook)
      const over = await until(
        async () => {
          await health.clone().update({ ...forget, changed_at: use.stack.db.fn.now(3) })
          return shown(webhook, id as string)
        },
        ({ status }: Json) => status !== 'running',
        { withinMs: 50_000, what: 'the end of the recovery' },
      )
      expect(over).to.include({ status: 'cancelled', stopped_reason: 'endpoint_failing' })
      await expectSoundRowsOf(use)
    })

    it('is counted once when it is cancelled twice, in the process that did it', async () => {
      const webhook = await createTestWebhook(use.stack, use.tenant, { is_active: false })
      const { id } = await recover(webhook)
      const cancel = () => use.tenant.request('DELETE', `${path(webhook)}/recoveries/${id as string}`)
      expect([(await cancel()).status, (await cancel()).status]).to.deep.equal([200, 200])
      const cancelled = { outcome: 'cancelled', reason: 'requested' }
      expect(await endedIn(use.stack.api, cancelled)).to.equal(1)
      expect(await endedIn(worker(), cancelled)).to.equal(0)
    })

    it('shows in Temporal how far it has come, and ends as its row does', async () => {
      const webhook = await failing(3)
      await use.tenant.request('PATCH', path(webhook), { is_active: false })
      const { id } = await recover(webhook)
      const progress = await until(
        () =>
          handle(id as string)
            .query<RecoveryProgress>(PROGRESS_QUERY)
            .catch(() => undefined),
        (found) => found?.isWaiting === true,
      )
      expect(progress).to.deep.equal({
        ...{ status: 'running', stoppedReason: null, total: 3, queued: 0, isWaiting: true },
      })
      expect(await currentDetails(use.stack, recoveryWorkflowId(id as string))).to.match(
        /^\*\*Waiting\*\*: the webhook is inactive, or its company suspended\.\s+Queued: 0 of 3$/,
      )
      use.stack.receiver.behave(webhook.path, {})
      await use.tenant.request('PATCH', path(webhook), { is_active: true })
      await ended(webhook, id as string)
      expect(await handle(id as string).result()).to.include({ status: 'done', queued: 3 })
      const { events } = await handle(id as string).fetchHistory()
      const queues = (events ?? []).flatMap(
        ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.taskQueue?.name ?? [],
      )
      expect([...new Set(queues)]).to.deep.equal([RECOVERY_QUEUE])
    })

    it('goes on when its workflow was terminated', async () => {
      const webhook = await failing(2)
      await use.tenant.request('PATCH', path(webhook), { is_active: false })
      const { id } = await recover(webhook)
      await workflowOf(use.stack, recoveryWorkflowId(id as string))
      await handle(id as string).terminate('by hand')
      use.stack.receiver.behave(webhook.path, {})
      await use.tenant.request('PATCH', path(webhook), { is_active: true })
      expect(await ended(webhook, id as string)).to.include({ status: 'done', queued: 2 })
    })
  })
}
