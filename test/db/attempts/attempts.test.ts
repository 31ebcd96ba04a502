// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { answered, madeAttempt } from '../../support/made-attempts.ts'
import { answer } from '../../support/raw-endpoint.ts'
import { SLOTS, useAttempts } from '../../support/use-attempts.ts'

// decision: Age of the rows
describe('an attempt', () => {
  const { its: all, wire, tenant, setUp, isSignedWith } = useAttempts()
  const READ_AGAIN = { kind: 'deferred', delayMs: 0 }

  /** Runs the work once the connection is ready, which takes longer than rows may be old. */
  const meanwhile = (its: Awaited<ReturnType<typeof setUp>>, work: () => Promise<unknown>) => {
    its.whenConnected = async () => {
      await work()
      its.clock.nowMs += 251
    }
  }

  /** A delivery, and the claim of its first attempt. */
  async function claimed() {
    const its = await setUp()
    const id = await its.publish()
    return { its, id, start: await its.claim(id) }
  }

  it('reads its rows again when they are older than 250 ms, and sends nothing after an answered deletion', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    meanwhile(its, () => its.remove(its.id))
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect(wire.endpoint.requests).to.deep.equal([])
    expect(its.recorded).to.deep.equal([])
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
    expect(await its.make(delivery)).to.deep.equal({ kind: 'closed', ending: 'cancelled' })
  })

  // decision: Former secret
  it('signs with a new secret that was answered meanwhile', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    let secret = its.secret
    meanwhile(its, async () => {
      secret = await its.newSecret()
    })
    await its.make(delivery)
    expect([isSignedWith(secret), isSignedWith(its.secret)]).to.deep.equal([true, false])
    expect(its.recorded).to.have.length(1)
    expect(its.recorded[0]).to.deep.include({ webhookVersionAtGate: 2 })
    expect(its.recorded[0]).to.deep.include({ startedAt: new Date(its.clock.nowMs - 251) })
  })

  // decision: A dead kept connection
  it('signs anew, from rows read anew when they are old, for the connection that replaces a dead one', async () => {
    const its = await setUp()
    await its.make(await its.publish())
    let secret = its.secret
    const replaceSecret = async () => {
      secret = await its.newSecret()
      its.clock.nowMs += 251
    }
    wire.respond = (socket, index) => {
      if (index === 1) void replaceSecret().then(() => socket.destroy())
      else socket.write(answer(200))
    }
    await its.make(await its.publish())
    expect(wire.endpoint.requests).to.have.length(3)
    expect(isSignedWith(secret)).to.equal(true)
    expect(its.recorded[1]?.outcome).to.include({ kind: 'answered', status: 200 })
  })

  it('records what was sent before in place of sending again, also when that is committed while it reads its rows', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    const sent = madeAttempt(delivery, its.id, answered(200))
    its.unwritten = sent
    its.deps.db.once('query', () => (its.unwritten = undefined))
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect(its.unwritten).to.equal(undefined)
    expect(its.recorded).to.deep.equal([sent])
    expect(wire.endpoint.requests).to.deep.equal([])
  })

  it('gives slot and connection back when the request cannot be made, which is our own fault', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    meanwhile(its, () => its.deps.db('events').where({ company_id: tenant().companyId }).delete())
    const error = await its.make(delivery).catch((thrown: unknown) => thrown)
    expect(String(error)).to.match(/the event of delivery .* is gone/)
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
    expect(wire.endpoint.requests).to.deep.equal([])
  })

  it('of a workflow that nobody expects waits while a direct one is on its way, and has the delivery to itself afterwards', async () => {
    const { its, id, start } = await claimed()
    expect(await its.make(id)).to.deep.equal({ kind: 'deferred', delayMs: 1_000 })
    expect(wire.endpoint.requests).to.deep.equal([])
    const inTemporal = async () => (await all.rowOf(id)).in_temporal
    expect([its.slots.freeOfAll(), await inTemporal()]).to.deep.equal([SLOTS, 0])
    await its.makeDirect(start)
    expect(wire.endpoint.requests).to.have.length(1)
    await its.endLease(id)
    await its.make(id)
    expect(wire.endpoint.requests).to.have.length(2)
    expect(await inTemporal()).to.equal(1)
  })

  describe('without a workflow', () => {
    it('sends nothing when it was held up and another worker has claimed the row', async () => {
      const { its, id, start } = await claimed()
      meanwhile(its, async () => {
        await its.endLease(id)
        await its.claim(id, 'w2')
      })
      expect(await its.makeDirect(start)).to.deep.equal(READ_AGAIN)
      expect(wire.endpoint.requests).to.deep.equal([])
      expect(its.slots.freeOfAll()).to.equal(SLOTS)
    })

    it('renews its lease when it was held up and nobody else has claimed the row, and says with which one it sent', async () => {
      const { its, id, start } = await claimed()
      meanwhile(its, () => its.endLease(id))
      await its.makeDirect(start)
      expect(wire.endpoint.requests).to.have.length(1)
      expect(its.recorded).to.have.length(1)
      expect(its.recorded[0]).to.deep.include({ directLease: start.lease, attemptsAtGate: 0 })
      const [row] = await its.deps.db('outbox').where({ subject_id: id }).select('available_at')
      expect(row.available_at.getTime()).to.be.above(Date.now())
    })

    it('is not sent when the outcome of the claim before is committed after the claim', async () => {
      const { its, id } = await claimed()
      await its.endLease(id)
      const start = await its.claim(id)
      await its.deps.db('deliveries').where({ id }).update({ status: 'success', attempts: 1 })
      expect(await its.makeDirect(start)).to.deep.equal({ kind: 'closed', ending: 'success' })
      expect(wire.endpoint.requests).to.deep.equal([])
    })

    it('comes back when no slot is free, and does not wait in the queue of workflows', async () => {
      const { its, id, start } = await claimed()
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

    // decision: Suspended companies
    it('is not sent when its company is suspended between the claim and the first byte', async () => {
      const { its, id, start } = await claimed()
      meanwhile(its, its.suspend)
      expect(await its.makeDirect(start)).to.deep.equal(READ_AGAIN)
      await its.endLease(id)
      expect(await its.makeDirect(await its.claim(id))).to.deep.equal({ kind: 'parked' })
      expect(await all.rowOf(id)).to.include({ status: 'pending', in_temporal: 0 })
      expect(await its.deps.db('outbox').where({ subject_id: id })).to.deep.equal([])
      expect([wire.endpoint.requests, its.slots.freeOfAll()]).to.deep.equal([[], SLOTS])
    })
  })
})
