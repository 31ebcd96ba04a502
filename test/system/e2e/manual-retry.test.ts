// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { SIGNALS } from '../../../src/workflows/contract.ts'
import { rowWith, workflowOf } from '../../support/crashes.ts'
import { BY_WORKFLOWS } from '../../support/first-attempts.ts'
import { useHeldDeliveries } from '../../support/stack-endpoints.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { type Json, deliver, type TestWebhook } from '../../support/tenants.ts'
import { useStack, type StackInUse } from '../../support/use-stack.ts'

const signal = ({ stack }: StackInUse, id: string) =>
  stack.temporal.workflow.getHandle(id).signal(SIGNALS.retry)

/** The last attempt's answer and a retry run at the same time. Each starts first in every other round. */
async function aroundTheEnd(
  deliverHeld: ReturnType<typeof useHeldDeliveries>,
  retry: (webhook: TestWebhook, id: string) => Promise<{ status: string; attempts: number }>,
): Promise<void> {
  for (let round = 0; round < 8; round++) {
    const { endpoint, webhook, id } = await deliverHeld({ max_retries: 0 })
    const early = round % 2 === 0 ? retry(webhook, id) : undefined
    endpoint.answer(1, 500)
    endpoint.answerAll(200)
    const { status, attempts } = await (early ?? retry(webhook, id))
    expect(await webhook.delivery(status)).to.include({ attempts })
    await webhook.remove()
  }
}

describe('manual retry', () => {
  const use = useStack()
  const deliverHeld = useHeldDeliveries(use)

  const triggersOf = async (webhook: TestWebhook, deliveryId: string): Promise<string[]> =>
    (await webhook.detail(deliveryId)).attempt_log.map(({ trigger }: { trigger: string }) => trigger)

  it('queues a failed delivery again and says so', async () => {
    const { webhook, id } = await deliver(use, 'failed', { max_retries: 0 }, { failTimes: 1 })
    const answer = await webhook.retry(id)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({ data: { success: true, message: 'Delivery queued for retry' } })
    expect(await webhook.delivery('success')).to.include({ attempts: 2, max_attempts: 2 })
    expect(await triggersOf(webhook, id)).to.deep.equal(['scheduled', 'manual'])
    const shown = await webhook.get()
    expect(shown).to.include({ total_deliveries: 1, successful_deliveries: 1, failed_deliveries: 0 })
  })

  // decision: A retry during the last attempt
  it('is never lost around the moment at which the last attempt closes the delivery', async () => {
    await aroundTheEnd(deliverHeld, async (webhook, id) => {
      expect((await webhook.retry(id)).status).to.equal(200)
      return { status: 'success', attempts: 2 }
    })
  })

  // decision: Workflow of a closed delivery
  it('brings out a delivery whose workflow somebody terminated', async () => {
    const { webhook, id } = await deliver(use, 'retrying', { retry_schedule: [600] }, { failTimes: 1 })
    await workflowOf(use.stack, id)
    await use.stack.temporal.workflow.getHandle(id).terminate('by hand')
    await webhook.retry(id)
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
  })
})

describe('the signal retry, as the Temporal UI sends it', function () {
  this.timeout(60_000)
  const use = useStack()

  const audits = (id: string) =>
    use.stack.db('audit').where({ subject_id: id }).orderBy('id') as Promise<Json[]>
  const untilRow = (id: string, isWanted: (row: Json) => boolean): Promise<Json> =>
    rowWith(use.stack, id, isWanted)

  /** A webhook whose first delivery failed once and waits for ten minutes. */
  async function waiting(fields: Record<string, unknown> = {}) {
    const sent = await deliver(use, 'retrying', { retry_schedule: [600], ...fields }, { status: 500 })
    await workflowOf(use.stack, sent.id)
    return sent
  }

  // decision: The signal `retry`
  it('makes an attempt of a waiting delivery at once, on top of the automatic ones, and is audited', async () => {
    const { webhook, id } = await waiting({ max_retries: 1 })
    await signal(use, id)
    const after = await untilRow(id, ({ attempts }) => attempts === 2)
    expect(after).to.include({ status: 'retrying', max_attempts: 3, retry_seq: 1, retry_served: 1 })
    const { attempt_log: log } = await webhook.detail(id)
    expect(log.map(({ trigger }: Json) => trigger)).to.deep.equal(['scheduled', 'manual'])
    const [entry, ...others] = await audits(id)
    expect(others).to.deep.equal([])
    expect(entry).to.include({ actor: 'temporal', action: 'delivery.retry' })
    expect(entry.company_id).to.equal(use.tenant.tenant.companyId)
    expect(JSON.parse(entry.details as string)).to.deep.equal({ webhook_id: webhook.id, retry_seq: 1 })
    await expectSoundRowsOf(use)
  })

  // decision: Inactive
  it('waits with a delivery whose webhook is inactive, and is served when that is activated', async () => {
    const { webhook, id } = await waiting()
    await webhook.change({ is_active: false })
    await signal(use, id)
    await untilRow(id, ({ parked_at, retry_seq }) => parked_at !== null && retry_seq === 1)
    expect(webhook.requests()).to.have.length(1)
    webhook.behave()
    await webhook.change({ is_active: true })
    expect(await untilRow(id, ({ status }) => status === 'success')).to.include({ attempts: 2 })
    expect(webhook.requests()).to.have.length(2)
  })
})

describe('the signal retry while the first attempt is on its way', function () {
  this.timeout(60_000)
  // Workflows make the first attempts here, so that a workflow exists for the signal.
  const use = useStack({ environment: BY_WORKFLOWS })
  const deliverHeld = useHeldDeliveries(use)

  // decision: The signal `retry`
  it('is never lost around the moment at which the last attempt closes the delivery', async () => {
    // Temporal refuses a signal to a run that has ended, and its sender gets the error.
    await aroundTheEnd(deliverHeld, (_webhook, id) =>
      signal(use, id).then(
        () => ({ status: 'success', attempts: 2 }),
        () => ({ status: 'failed', attempts: 1 }),
      ),
    )
  })

  it('changes nothing while the attempt that succeeds is on its way back', async () => {
    const { endpoint, webhook, id } = await deliverHeld()
    await signal(use, id)
    endpoint.answerAll(200)
    await webhook.delivery('success')
    await use.stack.temporal.workflow.getHandle(id).result()
    expect(endpoint.requests).to.have.length(1)
    await expectSoundRowsOf(use)
  })
})
