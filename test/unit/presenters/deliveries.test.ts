import { expect } from 'chai'
import type { Delivery, HoldingWebhook } from '../../../src/domain/delivery/delivery.ts'
import { presentDelivery } from '../../../src/presenters/deliveries.ts'
import { delivery } from '../../support/deliveries.ts'

const nextRetryAt = new Date('2026-01-05T12:05:00.000Z')
const [pending, retrying] = [
  { status: 'pending', nextRetryAt },
  { status: 'retrying', nextRetryAt },
] as const
const inactive = { isActive: false }
const failing = { holdsFirstAttempts: true }
const suspended = { ...inactive, ...failing, isSuspended: true }

describe('what holds a delivery back', () => {
  function expectReason(reason: string | null, fields: Partial<Delivery>, webhook: Partial<HoldingWebhook>) {
    const active = { isActive: true, isSuspended: false, holdsFirstAttempts: false }
    const shown = presentDelivery(
      { ...delivery(fields), payload: null, error: null },
      { ...active, ...webhook },
    )
    const next = reason === null ? (fields.nextRetryAt?.toISOString() ?? null) : null
    const isOver = fields.status === 'success'
    const expected = { held_reason: reason, ...(!isOver && { next_retry_at: next }) }
    expect(shown, JSON.stringify(fields)).to.include(expected)
  }

  // decision: `held_reason`
  it('is an inactive webhook while it is open, but for a test event, which an inactive webhook gets too', () => {
    for (const open of [pending, retrying]) expectReason('webhook_inactive', open, inactive)
    for (const status of ['success', 'failed'] as const) expectReason(null, { status }, inactive)
    expectReason(null, { ...retrying, eventType: 'test.webhook' }, inactive)
    expectReason(null, retrying, {})
  })

  // decision: Suspended companies
  it('is the suspension of its company before anything else, because nothing can be sent until that ends', () => {
    for (const open of [pending, retrying]) expectReason('company_suspended', open, suspended)
  })

  // decision: `held_reason`
  it('is an endpoint that fails, for its first attempt, unless somebody asked for one', () => {
    expectReason('endpoint_failing', {}, failing)
    for (const fields of [{ ...retrying, attempts: 1 }, { retrySeq: 1 }, { eventType: 'test.webhook' }]) {
      expectReason(null, fields, failing)
    }
  })
})
