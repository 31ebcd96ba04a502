import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { changeWebhook, deleteWebhook } from '../../../src/operations/webhook/change.ts'
import { answer } from '../../support/raw-endpoint.ts'
import { SLOTS, useAttempts } from '../../support/use-attempts.ts'

describe('an attempt', () => {
  const { wire, tenant, setUp, isSignedWith } = useAttempts()

  const READ_AGAIN = { kind: 'deferred', delayMs: 0 }

  // decision: Age of the rows
  it('reads its rows again when they are older than 250 ms, and sends nothing after an answered deletion', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await deleteWebhook(its.deps, tenant(), COMMAND_LINE, its.id)
      its.clock.nowMs += 251
    }
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect(wire.endpoint.requests).to.deep.equal([])
    expect(its.recorded).to.deep.equal([])
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
    expect(await its.make(delivery)).to.deep.equal({ kind: 'closed', ending: 'cancelled' })
  })

  // decision: Age of the rows
  it('signs with a new secret that was answered meanwhile', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    let secret = its.secret
    its.whenConnected = async () => {
      secret = await its.newSecret()
      its.clock.nowMs += 251
    }
    await its.make(delivery)
    expect([isSignedWith(secret), isSignedWith(its.secret)]).to.deep.equal([true, false])
    expect(its.recorded).to.have.length(1)
    expect(its.recorded[0]).to.deep.include({
      webhookVersionAtGate: 2,
      startedAt: new Date(its.clock.nowMs - 251),
    })
  })

  it('goes on with the rows of its gate for 250 ms', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await its.newSecret()
      its.clock.nowMs += 250
    }
    await its.make(delivery)
    expect(isSignedWith(its.secret)).to.equal(true)
  })

  it('sends nothing to a former URL, and leaves the connection to the next attempt', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    const setUrl = (url: string) => changeWebhook(its.deps, tenant(), COMMAND_LINE, its.id, { url })
    its.whenConnected = async () => {
      await setUrl(`${wire.endpoint.url}/moved`)
      its.clock.nowMs += 251
    }
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    its.whenConnected = () => Promise.resolve()
    await its.make(delivery)
    expect(wire.endpoint.requests).to.have.length(1)
    expect(wire.endpoint.requests[0]).to.match(/^POST \/hook\/moved /)
    expect(wire.endpoint.connectionCount()).to.equal(1)
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

  it('sends nothing over a replacement when the webhook was deleted meanwhile', async () => {
    const its = await setUp()
    await its.make(await its.publish())
    const remove = async () => {
      await deleteWebhook(its.deps, tenant(), COMMAND_LINE, its.id)
      its.clock.nowMs += 251
    }
    wire.respond = (socket) => void remove().then(() => socket.destroy())
    expect(await its.make(await its.publish())).to.deep.equal(READ_AGAIN)
    expect(wire.endpoint.requests).to.have.length(2)
    expect(its.recorded).to.have.length(1)
  })

  it('gives slot and connection back when the request cannot be made, which is our own fault', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await its.deps.db('events').where({ company_id: tenant().companyId }).delete()
      its.clock.nowMs += 251
    }
    const error = await its.make(delivery).catch((thrown: unknown) => thrown)
    expect(String(error)).to.match(/the event of delivery .* is gone/)
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
    expect(wire.endpoint.requests).to.deep.equal([])
  })
})
