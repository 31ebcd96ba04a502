import { expect } from 'chai'
import { noticeOf, type Notice } from '../../../src/domain/notice/notice.ts'
import { addFigures, NO_FIGURES, withAttempt } from '../../../src/domain/webhook/stats.ts'
import { presentNotice, presentNoticeBatch } from '../../../src/presenters/notices.ts'
import { presentMissed, presentRecovery, presentStartedRecovery } from '../../../src/presenters/recoveries.ts'
import { presentActivity, presentStats } from '../../../src/presenters/stats.ts'
import { madeAttempt } from '../../support/deliveries.ts'
import { AT, RECOVERY, T, WIRE_RECOVERY } from '../../support/wire.ts'

describe('recoveries, notices and statistics on the wire', () => {
  it('show a recovery, who began it, and what another one would bring', () => {
    expect(presentRecovery(RECOVERY)).to.deep.equal(WIRE_RECOVERY)
    expect(presentRecovery({ ...RECOVERY, endedAt: AT })).to.include({ ended_at: T })
    const startedBy = { id: 'usr_1', name: 'Ada' }
    const started = presentStartedRecovery({ recovery: RECOVERY, startedBy })
    expect(started).to.deep.equal({ ...WIRE_RECOVERY, started_by: startedBy })
    expect(presentStartedRecovery({ recovery: RECOVERY, startedBy: null })).to.include({ started_by: null })
    expect(presentMissed(undefined)).to.deep.equal({ pause: null, recoverable: null })
    for (const endsAt of [AT, null]) {
      expect(presentMissed({ pause: { startsAt: AT, endsAt }, recoverable: RECOVERY })).to.deep.equal({
        pause: { starts_at: T, ends_at: endsAt && T },
        recoverable: { recovers: 'failed', since: T, until: T, total: 7, counted_at_most: 10_000 },
      })
    }
  })

  it('show a notice to its owner, and to the operator also whose it is', () => {
    const tenant = { companyId: 'com_1', environment: 'live' } as const
    const notice: Notice = {
      ...noticeOf({ kind: 'webhook_gone', tenant, targetId: 'whk_1', causeAt: AT }, { total: 3 }),
      id: 'ntc_1',
      createdAt: AT,
    }
    const about = { id: 'ntc_1', kind: 'webhook_gone', webhook_id: 'whk_1', key_id: null }
    const { message, ...shown } = presentNotice(notice)
    expect(shown).to.deep.equal({ ...about, count: 3, created_at: T })
    const ours = { ...notice, kind: 'most_endpoints_fail', tenant: null } as const
    expect(presentNoticeBatch('ntb_1', AT, [notice, ours])).to.deep.equal({
      id: 'ntb_1',
      event: 'notices',
      created_at: T,
      data: [
        { ...shown, message, company_id: 'com_1', environment: 'live' },
        { ...presentNotice(ours), company_id: null, environment: null },
      ],
    })
  })

  it('show statistics by class, by error and by duration, and in a list how many failed', () => {
    const unreachable = { kind: 'unreachable', reason: 'dns_error', durationMs: 700 } as const
    const figures = withAttempt(withAttempt(NO_FIGURES, madeAttempt({}, 200).outcome), unreachable)
    const series = [{ startsAt: AT, figures }]
    const totals = addFigures(figures, withAttempt(NO_FIGURES, madeAttempt({}, 500).outcome))
    const statistics = { window: '24h', unit: 'hour', since: AT, until: AT, totals, series } as const
    const none = { '3xx': 0, '4xx': 0, '5xx': 0 }
    const slow = { by_error: { dns_error: 1 }, p50_ms: 20, p95_ms: 1_000, p99_ms: 1_000 }
    const [all, hour] = [
      { attempts: 3, successes: 1, failures: 2 },
      { attempts: 2, successes: 1, failures: 1 },
    ]
    expect(presentStats(statistics)).to.deep.equal({
      window: '24h',
      unit: 'hour',
      since: T,
      until: T,
      totals: { ...all, ...slow, by_class: { ...none, '2xx': 1, '5xx': 1, none: 1 } },
      series: [{ ...hour, ...slow, starts_at: T, by_class: { ...none, '2xx': 1, none: 1 } }],
    })
    const activity = { webhook_id: 'whk_1', ...all, series: [{ starts_at: T, ...hour }] }
    expect(presentActivity('whk_1', statistics)).to.deep.equal(activity)
  })
})
