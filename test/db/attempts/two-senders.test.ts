import { expect } from 'chai'
import type { DeliveryRow } from '../../../src/db/delivery/rows.ts'
import { SLOTS, useAttempts } from '../../support/use-attempts.ts'

describe('the attempt of a workflow that nobody expects', () => {
  const { its, wire, setUp } = useAttempts()

  const isInTemporal = async (id: string): Promise<boolean> => {
    const row = await its.db<DeliveryRow>('deliveries').where({ id }).first('in_temporal')
    return row?.in_temporal === 1
  }

  // decision: A recovery and the former run
  it('waits while a worker makes the attempt itself, and has the delivery to itself afterwards', async () => {
    const attempts = await setUp()
    const delivery = await attempts.publish()
    const start = await attempts.claim(delivery)
    expect(await attempts.make(delivery)).to.deep.equal({ kind: 'deferred', delayMs: 1_000 })
    expect(wire.endpoint.requests).to.deep.equal([])
    expect([attempts.slots.freeOfAll(), await isInTemporal(delivery)]).to.deep.equal([SLOTS, false])
    await attempts.makeDirect(start)
    expect(wire.endpoint.requests).to.have.length(1)
    await attempts.endLease(delivery)
    await attempts.make(delivery)
    expect(wire.endpoint.requests).to.have.length(2)
    expect(await isInTemporal(delivery)).to.equal(true)
  })
})
