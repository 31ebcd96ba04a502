import { expect } from 'chai'
import * as rules from '../../../../src/domain/webhook/health.ts'
import { words } from '../../../support/words.ts'
import { isProbablyOurFault, NONE_COUNTED, withFailure } from '../../../../src/domain/webhook/long-failure.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 5) + seconds * 1000)
const LATE = at(1_000_000)
const plain = { isSuccess: false, isGone: false, code: 'http_500', startedAt: LATE }
const failed = (deliveryId = 'del_1', askedPauseMs?: number) => ({ ...plain, deliveryId, askedPauseMs })
const succeeded = { ...failed(), isSuccess: true }

const after = (health: rules.EndpointHealth, outcome: ReturnType<typeof failed>, seconds: number) =>
  rules.afterOutcome(health, outcome, at(seconds))
/** The health after this many failures, all at second 0. */
const afterFailures = (count: number, health = rules.HEALTHY): rules.EndpointHealth =>
  Array.from({ length: count }).reduce<rules.EndpointHealth>((one) => after(one, failed(), 0), health)
const failing = afterFailures(rules.FAILURES_IN_A_ROW)
const probing = (health: rules.EndpointHealth) => ({ ...health, probeDeliveryId: 'del_probe' })

// decision: Endpoints that fail
// decision: Retry-After holds for the whole endpoint
// decision: Health of a webhook
describe('the health of an endpoint', () => {
  it('is failing after 20 failed attempts in a row, and not before', () => {
    expect(rules.admissionOf(afterFailures(19), at(0))).to.deep.equal({ kind: 'free' })
    expect(rules.limitedUntil(afterFailures(19))).to.equal(null)
    expect(rules.admissionOf(failing, at(0))).to.deep.equal({ kind: 'wait' })
    expect(rules.limitedUntil(failing), 'for ever').to.deep.equal(new Date('9999-12-31T00:00:00.000Z'))
    expect(failing).to.deep.include({ consecutiveFailures: 20, failingSince: at(0), probeAt: at(1) })
    const broken = after(afterFailures(19), succeeded, 0)
    expect(rules.admissionOf(afterFailures(19, broken), at(0))).to.deep.equal({ kind: 'free' })
  })

  it('lets one probe go after 1 s, and doubles the pause with each that fails, up to 60 s', () => {
    expect(rules.admissionOf(failing, at(1))).to.deep.equal({ kind: 'probe' })
    let health = failing
    const pauses = [0, 1, 2, 3, 4, 5, 6, 7].map((probes) => {
      health = after(probing(health), failed('del_probe'), 100 * probes)
      return (health.probeAt!.getTime() - at(100 * probes).getTime()) / 1000
    })
    expect(pauses).to.deep.equal([2, 4, 8, 16, 32, 60, 60, 60])
  })

  it('is told by the probe alone when the next one goes, and well again after any 2xx: the rate then doubles every second', () => {
    const health = after(probing(failing), failed('del_before'), 5)
    expect(health.probeAt).to.deep.equal(at(1))
    expect(health).to.include({ failedProbes: 0, consecutiveFailures: 21, probeDeliveryId: 'del_probe' })
    const well = after(probing(failing), succeeded, 10)
    expect(well).to.deep.include({ consecutiveFailures: 0, failingSince: null, probeAt: null })
    const allowed = (seconds: number) => rules.admissionOf(well, at(seconds))
    expect(allowed(10)).to.deep.equal({ kind: 'recovering', allowed: 1 })
    expect(allowed(11)).to.deep.equal({ kind: 'recovering', allowed: 2 })
    expect(allowed(19)).to.deep.equal({ kind: 'recovering', allowed: 512 })
    expect(allowed(20)).to.deep.equal({ kind: 'free' })
    expect(rules.limitedUntil(well)).to.deep.equal(at(20))
  })

  it('starts anew with an activation or a new URL', () => {
    expect(rules.afterChange(at(3))).to.deep.equal({ ...rules.HEALTHY, recoveredAt: at(3) })
    const gone = after(failing, { ...failed(), isGone: true }, 3)
    expect(gone, 'and with the end that a 410 makes').to.deep.equal(rules.afterChange(at(3)))
  })

  it('pauses for as long as the endpoint asks, an hour at most, whatever else succeeds meanwhile', () => {
    const paused = after(rules.HEALTHY, failed('del_1', 30_000), 0)
    const later = after(after(paused, failed('del_2', 5_000), 1), succeeded, 2)
    expect(rules.admissionOf(later, at(29))).to.deep.equal({ kind: 'wait' })
    expect(rules.admissionOf(later, at(30))).to.deep.equal({ kind: 'free' })
    expect(rules.limitedUntil(later)).to.deep.equal(at(30))
    const both = (pausedUntil: Date) =>
      rules.limitedUntil({ ...rules.HEALTHY, pausedUntil, recoveredAt: at(0) })
    expect([both(at(30)), both(at(5))], 'while it recovers, too').to.deep.equal([at(30), at(10)])
    const long = after(rules.HEALTHY, failed('del_1', 86_400_000), 0)
    expect(long.pausedUntil).to.deep.equal(at(3600))
  })

  it('does not change with a failure from before its recovery, an activation or a new URL', () => {
    const health = rules.afterChange(at(10))
    const early = { ...failed('del_1', 60_000), startedAt: at(9) }
    expect(after(health, early, 11)).to.deep.equal(health)
    expect(after(health, { ...early, startedAt: at(10) }, 11).consecutiveFailures).to.equal(1)
  })

  it('is failing after one failed attempt, and healthy after one success', () => {
    const stateOf = (health: rules.EndpointHealth, isActive = true) => rules.healthState({ isActive }, health)
    const all = [rules.HEALTHY, afterFailures(1), failing, after(failing, succeeded, 1)]
    expect(all.map((health) => stateOf(health)).join(' ')).to.equal('healthy failing failing healthy')
    for (const health of [rules.HEALTHY, failing]) expect(stateOf(health, false)).to.equal('disabled')
  })

  it('keeps the first failure after the latest success, the code of the latest one and how many there were', () => {
    const health = after(after(rules.HEALTHY, failed(), 5), { ...failed(), code: 'dns_error' }, 90_000)
    expect(health).to.deep.include({ failingSince: at(5), lastError: 'dns_error', consecutiveFailures: 2 })
    expect(health.counted).to.deep.equal({ since: at(5), latestAt: at(90_000), attempts: 2, days: 2 })
    for (const cleared of [after(health, succeeded, 6), rules.afterChange(at(6))])
      expect(cleared).to.deep.include({ ...rules.HEALTHY, recoveredAt: cleared.recoveredAt })
  })

  // decision: What counts towards a deactivation
  it('does not count an address that the guard refuses towards a deactivation, but shows it', () => {
    const blocked = { ...failed(), code: 'blocked_address' }
    const health = after(after(rules.HEALTHY, blocked, 1), failed(), 2)
    expect(health).to.deep.include({ failingSince: at(1), consecutiveFailures: 2 })
    expect(health.counted).to.deep.equal({ since: at(2), latestAt: at(2), attempts: 1, days: 1 })
    const again = { counted: health.counted, lastError: 'blocked_address' }
    expect(after(health, blocked, 3)).to.deep.include(again)
  })

  // decision: Endpoints that fail for days
  it('still tells since when and why after a deactivation for it, but holds nothing back', () => {
    const health = rules.afterLongFailure({ ...failing, warnedAt: at(7) }, at(9))
    const told = { warnedAt: at(7), consecutiveFailures: 20, failingSince: at(0), lastError: 'http_500' }
    expect(health).to.deep.equal({ ...rules.HEALTHY, ...told, recoveredAt: at(9) })
    expect(rules.holdsFirstAttempts(health, at(9))).to.equal(false)
  })

  it('can wait with a failure that only counts, and with no other sign', () => {
    const probed = probing(failing)
    expect(rules.onlyCounts(probed, failed(), at(1))).to.equal(true)
    const others = [succeeded, { ...failed(), isGone: true }, failed('del_probe'), failed('del_1', 1_000)]
    for (const sign of others) expect(rules.onlyCounts(probed, sign, at(1))).to.equal(false)
    expect(rules.onlyCounts(afterFailures(19), failed(), at(1))).to.equal(false)
    const paused = { ...probed, pausedUntil: at(9) }
    expect(rules.onlyCounts(paused, failed('del_1', 1_000), at(1))).to.equal(true)
  })

  it('holds first attempts while it fails or is paused', () => {
    const paused = after(rules.HEALTHY, failed('del_1', 30_000), 0)
    expect(rules.holdsFirstAttempts(failing, at(100))).to.equal(true)
    expect(rules.holdsFirstAttempts(paused, at(29))).to.equal(true)
    expect(rules.holdsFirstAttempts(paused, at(30))).to.equal(false)
    expect(rules.holdsFirstAttempts(afterFailures(19), at(0))).to.equal(false)
  })
})

describe('failures that count towards a deactivation', () => {
  // decision: Endpoints that fail for days
  it('are counted with the days on which they happened, in UTC', () => {
    const moment = (time: string) => new Date(`2026-01-${time}:00.000Z`)
    const times = words('05T10:00 05T23:59 06T00:00 06T00:01 09T12:00').map(moment)
    const counted = { since: moment('05T10:00'), latestAt: moment('09T12:00'), attempts: 5, days: 3 }
    expect(times.reduce(withFailure, NONE_COUNTED)).to.deep.equal(counted)
  })

  // decision: When most endpoints fail
  it('are probably our own fault when those of more than half of four companies or more fail', () => {
    for (const [attempted, failing, isOurs] of [
      [0, 0, false],
      [1, 1, false],
      [3, 3, false],
      [4, 2, false],
      [4, 3, true],
      [1000, 500, false],
      [1000, 501, true],
    ] as const)
      expect(isProbablyOurFault({ attempted, failing }), `${failing} of ${attempted}`).to.equal(isOurs)
  })
})
