// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { SIGNALS } from '../../../src/workflows/contract.ts'
import { rowWith, workflowOf } from '../../support/crashes.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'
import { BY_WORKFLOWS } from '../../support/first-attempts.ts'
import { useHeldDeliveries } from '../../support/held-endpoint.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { deliver } from '../../support/webhooks.ts'

describe('the signal retry, as the Temporal UI sends it', function () {
  this.timeout(60_000)
  const use = useStack()

  const handle = (id: string) => use.stack.temporal.workflow.getHandle(id)
  const signal = (id: string) => handle(id).signal(SIGNALS.retry)
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
    await signal(id)
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
    await signal(id)
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
  // Only then is there a workflow to signal.
  const use = useStack({ environment: BY_WORKFLOWS })
  const deliverHeld = useHeldDeliveries(use)

  const handle = (id: string) => use.stack.temporal.workflow.getHandle(id)
  const signal = (id: string) => handle(id).signal(SIGNALS.retry)

  // decision: The signal `retry`
  it('is never lost around the moment at which the last attempt closes the delivery', async () => {
    for (let round = 0; round < 8; round++) {
      const { endpoint, webhook, id } = await deliverHeld({ max_retries: 0 })
      // Answer and signal are on their way at once, and each of them leaves first in every other round.
      const signalled = round % 2 === 0 ? signal(id) : undefined
      endpoint.answer(1, 500)
      endpoint.answerAll(200)
      const isTaken = await (signalled ?? signal(id)).then(
        () => true,
        () => false,
      )
      // Temporal refuses a signal to a run that has ended; whoever sent it sees that.
      if (isTaken) expect(await webhook.delivery('success')).to.include({ attempts: 2 })
      else expect(await webhook.delivery('failed')).to.include({ attempts: 1 })
      await webhook.remove()
    }
  })

  it('changes nothing while the attempt that succeeds is on its way back', async () => {
    const { endpoint, webhook, id } = await deliverHeld()
    await signal(id)
    endpoint.answerAll(200)
    await webhook.delivery('success')
    await handle(id).result()
    expect(endpoint.requests).to.have.length(1)
    await expectSoundRowsOf(use)
  })
})
