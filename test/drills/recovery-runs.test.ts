// Only in .ci/run: more than a thousand pages take a minute.
import { expect } from 'chai'
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common'
import { PROGRESS_QUERY, recoveryWorkflowId, type RecoveryProgress } from '../../src/workflows/contract.ts'
import { currentDetails, workflowOf } from '../support/crashes.ts'
import { countSuccesses } from '../support/recovery-drill.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { insertManyDeliveries } from '../support/many-rows.ts'
import { until } from '../support/poll.ts'
import { type Json, createTestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

/** More deliveries than 1,000 pages have at one slot, because a page then has at most two. */
const FAILED = 3_000
const PAGES = 1_000
/** On a busy machine this many pages may take minutes, but the recovery never stops progressing. */
const WITHIN_MS = 500_000
const STANDS_STILL_MS = 20_000
const WEBHOOK_ID = defineSearchAttributeKey('WebhookId', SearchAttributeType.KEYWORD)

describe('a recovery of more than 1,000 pages', function () {
  this.timeout(600_000)
  const use = useStack({ environment: { DELIVERY_FIRST_ATTEMPT: 'direct', WEBHOOK_CONCURRENCY: '1' } })

  it('goes on in a second run where the first one was, and is cancelled there', async function () {
    const { db, receiver, temporal } = use.stack
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const { tenant } = use.tenant
    await insertManyDeliveries(db, FAILED, { tenant, webhookId: webhook.id }, 'failed')
    const begun = (await webhook.recover()).body.data
    expect(begun).to.include({ status: 'running', total: FAILED })
    const id = begun.id as string
    const workflowId = recoveryWorkflowId(id)
    const describeRun = (runId?: string) => temporal.workflow.getHandle(workflowId, runId).describe()
    const first = await workflowOf(use.stack, workflowId)
    const shown = () => webhook.recovery(id)
    let seen = { queued: 0, atMs: Date.now() }
    const second = await until(
      async () => {
        const { queued } = await shown()
        if (queued > seen.queued) seen = { queued, atMs: Date.now() }
        if (Date.now() - seen.atMs > STANDS_STILL_MS) throw new Error(`it stands still at ${seen.queued}`)
        return describeRun()
      },
      (run) => run.runId !== first!.runId,
      { withinMs: WITHIN_MS, what: 'the second run' },
    )
    const queuedBefore: number = (await shown()).queued
    expect((await describeRun(first!.runId)).status.name).to.equal('CONTINUED_AS_NEW')
    expect(queuedBefore).to.be.within(PAGES, FAILED - 1)

    const progress = await until(
      () => temporal.workflow.getHandle(workflowId, second.runId).query<RecoveryProgress>(PROGRESS_QUERY),
      (known) => known.queued > queuedBefore,
      { what: 'progress of the second run' },
    )
    expect(progress).to.include({ status: 'running', stoppedReason: null, total: FAILED })
    const sentence = /^\*\*(Running\*\*|Waiting\*\*: the attempts .*)\s+Queued: \d+ of 3000$/
    expect(await currentDetails(use.stack, workflowId)).to.match(sentence)
    expect(second.typedSearchAttributes.get(WEBHOOK_ID)).to.equal(webhook.id)

    expect(
      (await use.tenant.request('DELETE', `/api-v1-webhooks/${webhook.id}/recoveries/${id}`)).status,
    ).to.equal(200)
    const isOver = ({ status }: { status: { name: string } }) => status.name !== 'RUNNING'
    const ended = await until(() => describeRun(), isOver, { what: 'the end of the second run' })
    expect(ended.runId).to.equal(second.runId)
    // The round under way may read the cancelled row before the request to cancel comes; its run then ends by itself.
    expect(ended.status.name).to.be.oneOf(['CANCELLED', 'COMPLETED'])
    expect(await shown()).to.include({ status: 'cancelled', stopped_reason: 'requested' })
    const atTheEnd = await until(webhook.get, ({ health }: Json) => health.waiting === 0)
    const queuedInAll: number = (await shown()).queued
    expect(atTheEnd).to.include({ successful_deliveries: queuedInAll })
    expect(atTheEnd).to.include({ failed_deliveries: FAILED - queuedInAll })
    const answered = [...countSuccesses(receiver.requestsTo(webhook.path)).values()]
    expect([answered.length, Math.max(...answered)]).to.deep.equal([queuedInAll, 1])
    await expectSoundRows(db)
    this.runnable().title += ` (${queuedBefore} deliveries in the first run)`
  })
})
