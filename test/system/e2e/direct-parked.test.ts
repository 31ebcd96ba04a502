import { expect } from 'chai'
import { deliveryWith, outboxRows, publish } from '../../support/crashes.ts'
import { useCrashStack } from '../../support/crash-stack.ts'
import { DIRECT, hasWorkflow, makersOf } from '../../support/first-attempts.ts'
import { expectSoundRowsOf } from '../../support/invariants.ts'

describe('a delivery whose webhook is deactivated before a worker makes its first attempt', function () {
  this.timeout(60_000)
  const use = useCrashStack({ environment: DIRECT })
  const activate = (is_active: boolean) =>
    use.tenant.request('PATCH', `/api-v1-webhooks/${use.webhook.id}`, { is_active })

  it('is parked, and attempted once by a worker after the activation, without a workflow', async () => {
    await publish(use.tenant, use.eventId)
    await activate(false)
    const { temporal } = await use.worker()
    temporal.stall()
    const row = await deliveryWith(use.stack, use.eventId, ({ parked_at }) => parked_at !== null)
    expect(row).to.include({ status: 'pending', in_temporal: 0 })
    const id = row.id as string
    await outboxRows(use.stack, id, 0)
    expect(use.requests()).to.deep.equal([])
    await activate(true)
    await deliveryWith(use.stack, use.eventId, ({ status }) => status === 'success')
    await outboxRows(use.stack, use.webhook.id, 0)
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker'])
    expect(await hasWorkflow(use.stack, id)).to.equal(false)
    expect(use.requests()).to.have.length(1)
    await expectSoundRowsOf(use)
  })
})
