import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { TEST_EVENT_TYPE } from '../../../src/domain/event/event.ts'
import { resumeCompany, suspendCompany } from '../../../src/operations/companies.ts'
import { insertOpenDeliveries } from '../../support/many-rows.ts'
import { SLOTS, useAttempts } from '../../support/use-attempts.ts'

describe('an attempt for a company that is suspended', () => {
  const { wire, tenant, setUp } = useAttempts()
  const READ_AGAIN = { kind: 'deferred', delayMs: 0 }

  async function begin() {
    const its = await setUp()
    return {
      its,
      suspend: () => suspendCompany(its.deps, COMMAND_LINE, tenant().companyId),
      resume: () => resumeCompany(its.deps, COMMAND_LINE, tenant().companyId),
      row: (id: string) => its.deps.db('deliveries').where({ id }).first(),
    }
  }

  // decision: Suspended companies
  it('is not sent when the suspension comes between its gate and its connection, and its delivery parks', async () => {
    const { its, suspend, row } = await begin()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await suspend()
      its.clock.nowMs += 251
    }
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect(await its.make(delivery)).to.deep.equal({ kind: 'parked' })
    expect(await row(delivery)).to.include({ status: 'pending', attempts: 0 })
    expect([wire.endpoint.requests, its.slots.freeOfAll()]).to.deep.equal([[], SLOTS])
  })

  it('is not sent when the suspension comes between the claim and the first byte, without a workflow', async () => {
    const { its, suspend, row } = await begin()
    const delivery = await its.publish()
    const start = await its.claim(delivery)
    its.whenConnected = async () => {
      await suspend()
      its.clock.nowMs += 251
    }
    expect(await its.makeDirect(start)).to.deep.equal(READ_AGAIN)
    await its.endLease(delivery)
    expect(await its.makeDirect(await its.claim(delivery))).to.deep.equal({ kind: 'parked' })
    expect(await row(delivery)).to.include({ status: 'pending', in_temporal: 0 })
    expect(await its.deps.db('outbox').where({ subject_id: delivery })).to.deep.equal([])
    expect([wire.endpoint.requests, its.slots.freeOfAll()]).to.deep.equal([[], SLOTS])
  })

  it('goes out when the company is suspended and resumed while it connects', async () => {
    const { its, suspend, resume } = await begin()
    its.whenConnected = async () => {
      await suspend()
      await resume()
      its.clock.nowMs += 251
    }
    await its.make(await its.publish())
    expect(wire.endpoint.requests).to.have.length(1)
  })

  // decision: Suspended companies
  it('closes a test event that nobody could answer', async () => {
    const { its, suspend, row } = await begin()
    const columns = { event_type: TEST_EVENT_TYPE, status: 'pending', max_attempts: 1 } as const
    const [id = ''] = await insertOpenDeliveries(its.deps.db, 1, {
      ...{ tenant: tenant(), webhookId: its.id, columns },
    })
    await suspend()
    expect(await its.make(id)).to.deep.equal({ kind: 'closed', ending: 'failed' })
    expect(await row(id)).to.include({ status: 'failed', closed_reason: 'test_unanswered', attempts: 0 })
    expect(wire.endpoint.requests).to.deep.equal([])
  })
})
