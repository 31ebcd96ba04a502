import { expect } from 'chai'
import type { Delivery } from '../../../../src/domain/delivery/delivery.ts'
import { failureOfDelivery, viewDelivery } from '../../../../src/domain/delivery/view.ts'
import { delivery } from '../../../support/deliveries.ts'

describe('why a delivery failed, as Temporal shows it', () => {
  const of = (fields: Partial<Delivery>, error: string | null = null) =>
    failureOfDelivery(delivery({ status: 'failed', closedReason: 'attempts_used', ...fields }), error)

  it('is the status of the latest answer, or the code where none came, and the number of attempts; of a test event, that its answer came too late', () => {
    expect(of({ responseCode: 500, attempts: 6 })).to.equal('http_500 after 6 attempts')
    expect(of({ responseCode: 404, attempts: 1 })).to.equal('http_404 after 1 attempt')
    expect(of({ attempts: 2 }, 'dns_error')).to.equal('dns_error after 2 attempts')
    expect(of({ responseCode: 502, attempts: 2 }, 'body_cut')).to.equal('http_502 after 2 attempts')
    const unanswered = of({ closedReason: 'test_unanswered', attempts: 0 })
    expect(unanswered).to.equal('the test event was not answered in time')
  })
})

describe('what a delivery needs next', () => {
  const webhook = { isActive: true, isSuspended: false, isDeleted: false }
  const now = new Date('2026-01-05T12:00:00.000Z')
  const inMs = (durationMs: number) => new Date(now.getTime() + durationMs)
  const view = (fields: Parameters<typeof delivery>[0], error: string | null = null) =>
    viewDelivery(delivery({ status: 'retrying', ...fields }), webhook, now, { error })

  it('is nothing once it is closed; its workflow then ends as its row did', () => {
    for (const [fields, ending] of [
      [{ status: 'success' }, 'success'],
      [{ status: 'failed', closedReason: 'attempts_used' }, 'failed'],
      [{ status: 'failed', closedReason: 'webhook_deleted' }, 'cancelled'],
    ] as const)
      expect(view({ ...fields, retrySeq: 2 })).to.deep.equal({ state: 'closed', ending, retrySeq: 2 })
  })

  it('is its next attempt: in how long, and how many are left', () => {
    const waiting = { attempts: 1, maxAttempts: 6, retrySeq: 1, retryServed: 1 }
    const left = { state: 'open', remaining: 5, isParked: false }
    expect(view({ ...waiting, nextRetryAt: inMs(5_000) })).to.include({ ...left, waitMs: 5_000 })
    expect(view({ ...waiting, nextRetryAt: inMs(-5_000) })).to.include({ ...left, waitMs: 0 })
    expect(view({ status: 'pending' }), 'the first one').to.include({ remaining: 3, waitMs: 0 })
    const asked = view({ ...waiting, nextRetryAt: inMs(5_000), retryServed: 0 })
    expect(asked, 'one that somebody asked for').to.include({ waitMs: 0 })
    expect(view({ attempts: 3 }), 'one more look of the gate').to.include({ remaining: 1 })
  })

  it('is to wait while it is parked, its webhook is there, and that is inactive or its company suspended', () => {
    const parked = delivery({ status: 'retrying', parkedAt: new Date() })
    const waits = (fields: object) => viewDelivery(parked, { ...webhook, ...fields }, now)
    for (const reason of [{ isActive: false }, { isSuspended: true }]) {
      expect(waits(reason)).to.include({ isParked: true })
      expect(waits({ ...reason, isDeleted: true })).to.include({ isParked: false })
    }
    expect(waits({})).to.include({ isParked: false })
    const unread = viewDelivery({ ...parked, parkedAt: null }, { ...webhook, isActive: false }, now)
    expect(unread, 'until the gate has read it').to.include({ isParked: false })
  })

  it('says how often it was attempted and with which result, and no result before the first attempt', () => {
    expect(view({ attempts: 2, responseCode: 503 })).to.include({ attempts: 2, lastResult: 'http_503' })
    expect(view({ attempts: 1 }, 'dns_error')).to.include({ attempts: 1, lastResult: 'dns_error' })
    const first = view({ attempts: 0, status: 'pending' })
    expect(first).to.include({ attempts: 0 }).and.not.have.property('lastResult')
  })
})
