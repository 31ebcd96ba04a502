import { expect } from 'chai'
import { STOPPED_REASONS, type RecoveryWait } from '../../../src/domain/recovery/recovery.ts'
import type { Recoverable, Recovery, Webhook } from '../../../web/src/common/api/wire.ts'
import { EARLIER_MS, presetsFor } from '../../../web/src/recoveries/recovery-window.ts'
import * as wording from '../../../web/src/recoveries/recovery-words.ts'

const NOW = new Date('2026-01-15T12:00:00.000Z')
const SINCE = '2026-01-15T10:00:00.000Z'

const health = (more: Partial<Webhook['health']> = {}): Webhook['health'] =>
  ({ failing_since: null, last_success_at: null, ...more }) as Webhook['health']

const found = (recovers: Recoverable['recovers'], total: number | null): Recoverable => {
  const window = { since: SINCE, until: NOW.toISOString() }
  return { recovers, total, ...window, counted_at_most: 10_000 }
}

describe('the windows that a recovery offers', () => {
  const presets = (kind: Recoverable['recovers'], known: object = {}) =>
    presetsFor(kind, { health: health(), missed: undefined, now: NOW, ...known })
  const values = (...given: Parameters<typeof presets>) => presets(...given).map(({ value }) => value)

  // decision: The windows that the console offers
  it('begin with the failure of the endpoint, or the pause of the webhook, a little before it', () => {
    expect(values('failed')).to.deep.equal(['24h', '1h', '7d', 'own'])
    const failing = health({ failing_since: SINCE, last_success_at: SINCE })
    expect(values('failed', { health: failing }).join(' ')).to.equal('failing 24h 1h 7d success own')
    const [first] = presets('failed', { health: failing })
    expect(Date.parse(SINCE) - Date.parse(first.since ?? '')).to.equal(EARLIER_MS)
    const pause = { starts_at: SINCE, ends_at: null }
    const since = '2026-01-15T09:59:55.000Z'
    const missed = { pause, recoverable: { ...found('missed', 3), since } }
    const [ofPause] = presets('missed', { missed, health: failing })
    expect(ofPause).to.deep.equal({ value: 'pause', label: 'Since it became inactive', since })
    const none = { pause: null, recoverable: null }
    expect(values('missed', { missed: none })).to.deep.equal(['24h', '1h', '7d', 'own'])
    expect(presets('failed')[1]).to.include({ since: '2026-01-15T11:00:00.000Z' })
  })
})

describe('a recovery in words', () => {
  const recovery = (more: Partial<Recovery> = {}) =>
    ({ recovers: 'failed', status: 'running', total: 12, queued: 3, ...more }) as unknown as Recovery

  // decision: How many a recovery would bring
  it('says how many there are, exactly or as more than are counted, how far it is, and tells screen readers only every tenth', () => {
    expect(wording.foundInWords(found('failed', 0))).to.include('Nothing failed')
    expect(wording.foundInWords(found('failed', 1))).to.equal('1 delivery failed for good in this time.')
    expect(wording.foundInWords(found('failed', 10_000))).to.include('10,000 deliveries')
    expect(wording.foundInWords(found('failed', null))).to.match(/^More than 10,000 deliveries/)
    expect(wording.foundInWords(found('missed', 2))).to.equal('2 events were missed.')
    expect(wording.foundInWords(found('missed', null))).to.match(/^More than 10,000 events/)
    expect(wording.progressInWords(recovery())).to.equal('3 of 12 queued')
    expect(wording.progressInWords(recovery({ total: null }))).to.equal('3 queued')
    expect(wording.announcement(recovery())).to.include('20 %')
    expect(wording.announcement(recovery({ queued: 4 }))).to.include('30 %')
    expect(wording.announcement(recovery({ total: 0, queued: 0 }))).to.equal('The recovery is running.')
    expect(wording.announcement(recovery({ status: 'done', queued: 12 }))).to.include('done: 12 of 12')
  })

  it('has words for everything that may stop it, or that it may wait for', () => {
    const known = { turn: 1, company_suspended: 1, webhook_inactive: 1, endpoint_failing: 1, attempts: 1 }
    for (const waits_for of Object.keys(known satisfies Record<RecoveryWait, number>))
      expect(wording.waitOf(recovery({ waits_for }))).to.be.a('string')
    for (const stopped_reason of STOPPED_REASONS)
      expect(wording.reasonOf(recovery({ stopped_reason }))).to.be.a('string')
  })
})
