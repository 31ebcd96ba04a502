import { expect } from 'chai'
import { claimShares } from '../../../src/db/system/claims.ts'
import { SLOTS, useAttempts } from '../../support/use-attempts.ts'

describe('a first attempt without a workflow', () => {
  const { wire, tenant, setUp } = useAttempts()
  const READ_AGAIN = { kind: 'deferred', delayMs: 0 }

  it('sends the event that was read with its claim, and says with which lease', async () => {
    const its = await setUp()
    const start = await its.claim(await its.publish())
    await its.makeDirect(start)
    expect(wire.endpoint.requests).to.have.length(1)
    expect(its.recorded).to.have.length(1)
    expect(its.recorded[0]).to.deep.include({ directLease: start.lease, attemptsAtGate: 0 })
  })

  // decision: Leases of direct attempts
  it('sends nothing when it was held up and another worker has claimed the row', async () => {
    const its = await setUp()
    const id = await its.publish()
    const start = await its.claim(id)
    its.whenConnected = async () => {
      await its.endLease(id)
      const share = { queue: its.id, companyId: tenant().companyId, rows: 1 }
      const other = { owner: 'w2', leaseMs: 60_000, takesDirectly: () => true }
      expect(await claimShares(its.deps.batchDb, [share], other)).to.have.length(1)
      its.clock.nowMs += 251
    }
    expect(await its.makeDirect(start)).to.deep.equal(READ_AGAIN)
    expect(wire.endpoint.requests).to.deep.equal([])
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
  })

  // decision: Leases of direct attempts
  it('renews its lease when it was held up and nobody else has claimed the row', async () => {
    const its = await setUp()
    const id = await its.publish()
    const start = await its.claim(id)
    its.whenConnected = async () => {
      await its.endLease(id)
      its.clock.nowMs += 251
    }
    await its.makeDirect(start)
    expect(wire.endpoint.requests).to.have.length(1)
    const [row] = await its.deps.db('outbox').where({ subject_id: id }).select('available_at')
    expect(row.available_at.getTime()).to.be.above(Date.now())
  })

  it('comes back when no slot is free, and does not wait in the queue of workflows', async () => {
    const its = await setUp()
    const id = await its.publish()
    const start = await its.claim(id)
    const holder = { companyId: tenant().companyId, webhookId: its.id }
    while (its.slots.take(holder, 'another') !== undefined);
    expect(await its.makeDirect(start)).to.have.property('kind', 'deferred')
    const kinds: string[] = await its.deps.db('outbox').where({ subject_id: id }).pluck('kind')
    expect(kinds).to.deep.equal(['start'])
  })

  it('reads an event that is too large for the claim', async () => {
    const its = await setUp()
    const start = await its.claim(await its.publish({ text: 'x'.repeat(20_000) }))
    expect(start.rows.body).to.equal(null)
    await its.makeDirect(start)
    expect(wire.endpoint.requests[0]).to.include('x'.repeat(20_000))
  })
})
