import { expect } from 'chai'
import { gateOf, GateReader, type Gate, type OpenGate } from '../../../src/attempts/gate.ts'
import type { GateRows } from '../../../src/db/delivery/gate-rows.ts'
import { delivery } from '../../support/deliveries.ts'

const URL_OF_WEBHOOK = 'https://example.com/'

const READ_AT_MS = 10_000

/** The gate at the start of the test, as the gate decides from these rows. */
const gate = (webhook: object = {}): Gate => {
  const rows = {
    delivery: delivery(),
    webhook: { isActive: true, isSuspended: false, isDeleted: false, url: URL_OF_WEBHOOK, ...webhook },
    now: new Date(0),
  }
  return gateOf(rows as unknown as GateRows, READ_AT_MS)
}
const open = gate() as OpenGate

/** Refreshes the open gate after `afterMs` milliseconds, when a new read returns `found`. */
async function refreshed(afterMs: number, found: Gate | undefined) {
  const reader = new GateReader({ db: null as never, clock: () => new Date(READ_AT_MS + afterMs) })
  return Object.assign(reader, { read: () => Promise.resolve(found) }).refresh(open)
}

describe('the gate once the connection is ready', () => {
  // decision: Age of the rows
  it('holds for 250 ms, and is then what a new read finds: shut when the delivery may no longer go out, or not to this URL', async () => {
    expect(open.verdict.kind).to.equal('go')
    const again = gate({ version: 2 })
    expect(await refreshed(250, again)).to.equal(open)
    expect(await refreshed(251, again)).to.equal(again)
    const shut = [{ isDeleted: true }, { isActive: false }, { url: 'https://other/' }].map(gate)
    for (const found of [undefined, ...shut]) expect(await refreshed(251, found)).to.equal(undefined)
  })
})
