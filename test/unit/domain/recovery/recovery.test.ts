import { expect } from 'chai'
import { gateVerdict, heldReason } from '../../../../src/domain/delivery/gate.ts'
import { reopen } from '../../../../src/domain/delivery/transitions.ts'
import * as recoveries from '../../../../src/domain/recovery/recovery.ts'
import { delivery } from '../../../support/deliveries.ts'

const now = new Date('2026-01-05T12:00:00.000Z')
const active = { isActive: true, isSuspended: false, isDeleted: false }
const ended = { status: 'failed', closedReason: 'attempts_used', isInTemporal: true } as const
const failed = delivery({ ...ended, attempts: 4, maxAttempts: 4, attemptsBase: 1 })
const reopened = reopen(failed, { maxRetries: 2, hasNoRun: true, now })

describe('a delivery that a recovery opens again', () => {
  // decision: What a recovery brings
  it('has a full set of attempts and its schedule from the start, at once, by a worker only if no run of it is left', () => {
    expect(reopened).to.include({ status: 'retrying', attempts: 4, maxAttempts: 7, attemptsBase: 4 })
    expect(reopened).to.include({ nextRetryAt: now, closedReason: null, isInTemporal: false })
    expect(reopen(failed, { maxRetries: 2, hasNoRun: false, now }).isInTemporal).to.equal(true)
  })

  it('has one attempt with the trigger `recovery`, which waits for a failing endpoint as a first one does, and scheduled ones after it', () => {
    expect(gateVerdict(reopened, active, now)).to.deep.equal({ kind: 'go', trigger: 'recovery' })
    const later = { ...reopened, attempts: 5 }
    const asked = { ...reopened, retrySeq: 1 }
    expect(gateVerdict(later, active, now)).to.deep.equal({ kind: 'go', trigger: 'scheduled' })
    expect(gateVerdict(asked, active, now)).to.deep.equal({ kind: 'go', trigger: 'manual' })
    const failing = { isActive: true, isSuspended: false, holdsFirstAttempts: true }
    const reasons = [reopened, later, failed].map((one) => heldReason(one, failing))
    expect(reasons).to.deep.equal(['endpoint_failing', null, null])
  })
})

describe('failures of a recovery in a row', () => {
  const fail = (count: number) => Array<'failure'>(count).fill('failure')

  // decision: A recovery ends while its endpoint fails
  it('are counted over pages, until one succeeds, and end it as soon as there are enough, whatever came after them in the same page', () => {
    expect(recoveries.failuresInRow(3, fail(2))).to.equal(5)
    expect(recoveries.failuresInRow(19, ['success', ...fail(3)])).to.equal(3)
    expect(recoveries.failuresInRow(7, ['none', 'failure', 'none'])).to.equal(8)
    expect(recoveries.failuresInRow(7, [])).to.equal(7)
    expect(recoveries.failuresInRow(19, ['failure', 'success'])).to.equal(recoveries.FAILURES_THAT_STOP)
    expect(recoveries.failuresInRow(0, [...fail(19), 'success', ...fail(19)])).to.equal(19)
  })
})

describe('a recovery', () => {
  it('has at most twice as many deliveries under way as its webhook has slots, or one while the endpoint fails', () => {
    expect([recoveries.mostUnderWay(10), recoveries.mostUnderWay(10, true)]).to.deep.equal([20, 1])
    expect(recoveries.fewUnderWay(20)).to.equal(15)
  })
  it('tells what it waits for: the first of these, or nothing once it has ended', () => {
    const [running, queued] = [{ state: 'running' }, { state: 'queued' }] as const
    const all = { isSuspended: true, isInactive: true, isFailing: true, isWaiting: true }
    const none = { isSuspended: false, isInactive: false, isFailing: false, isWaiting: false }
    for (const [facts, wait] of [
      [{ ...all, state: 'done' }, null],
      [{ ...all, state: 'cancelled' }, null],
      [{ ...all, ...running }, 'company_suspended'],
      [{ ...all, ...running, isSuspended: false }, 'webhook_inactive'],
      [{ ...none, ...queued, isFailing: true }, 'turn'],
      [{ ...none, ...running, isFailing: true, isWaiting: true }, 'endpoint_failing'],
      [{ ...none, ...running, isWaiting: true }, 'attempts'],
      [{ ...none, ...running }, null],
    ] as const)
      expect(recoveries.waitOf(facts), JSON.stringify(facts)).to.equal(wait)
  })
})
