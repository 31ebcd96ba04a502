import { expect } from 'chai'
import { gateVerdict } from '../../../../src/domain/delivery/gate.ts'
import { delivery } from '../../../support/deliveries.ts'

const now = new Date('2026-01-05T12:00:00.000Z')
const inMs = (durationMs: number) => new Date(now.getTime() + durationMs)
const active = { isActive: true, isSuspended: false, isDeleted: false }
const inactive = { ...active, isActive: false }
const suspended = { ...active, isSuspended: true }

// decision: Suspended companies
describe('the gate before an attempt', () => {
  it('lets a pending delivery of an active webhook go, stops at a closed one, and closes that of a deleted webhook, or that has used its attempts', () => {
    expect(gateVerdict(delivery(), active, now)).to.deep.equal({ kind: 'go', trigger: 'scheduled' })
    for (const status of ['success', 'failed'] as const)
      expect(gateVerdict(delivery({ status }), { ...active, isDeleted: true }, now).kind).to.equal('closed')
    const verdict = gateVerdict(delivery(), { ...inactive, isSuspended: true, isDeleted: true }, now)
    expect(verdict).to.deep.equal({ kind: 'close', reason: 'webhook_deleted' })
    const used = gateVerdict(delivery({ status: 'retrying', attempts: 3 }), active, now)
    expect(used).to.deep.equal({ kind: 'close', reason: 'attempts_used' })
  })

  it('parks the delivery of an inactive webhook or a suspended company, also when a retry was requested', () => {
    for (const webhook of [inactive, suspended, { ...suspended, isActive: false }]) {
      expect(gateVerdict(delivery(), webhook, now).kind).to.equal('park')
      expect(gateVerdict(delivery({ retrySeq: 1 }), webhook, now).kind).to.equal('park')
    }
  })

  it('sends a test event to an inactive webhook, and closes that of a suspended company: somebody waits for its answer', () => {
    const test = delivery({ eventId: 'evt_test_1', maxAttempts: 1 })
    expect(gateVerdict(test, inactive, now)).to.deep.equal({ kind: 'go', trigger: 'test' })
    expect(gateVerdict(test, suspended, now)).to.deep.equal({ kind: 'close', reason: 'test_unanswered' })
  })

  // decision: Early
  it('sends nothing before its time, and says how long that is, but for an unserved retry request', () => {
    const early = delivery({ status: 'retrying', attempts: 1, nextRetryAt: inMs(5_000) })
    expect(gateVerdict(early, active, now)).to.deep.equal({ kind: 'early', delayMs: 5_000 })
    expect(gateVerdict({ ...early, nextRetryAt: inMs(251) }, active, now).kind).to.equal('early')
    expect(gateVerdict({ ...early, nextRetryAt: inMs(250) }, active, now).kind).to.equal('go')
    const waiting = { ...early, retrySeq: 2, retryServed: 1 }
    expect(gateVerdict(waiting, active, now)).to.deep.equal({ kind: 'go', trigger: 'manual' })
    expect(gateVerdict({ ...waiting, retryServed: 2 }, active, now).kind).to.equal('early')
  })
})
