import { expect } from 'chai'
import type { Delivery } from '../../../src/domain/delivery/delivery.ts'
import type { HoldingWebhook } from '../../../src/domain/delivery/held.ts'
import { presentDelivery } from '../../../src/presenters/deliveries.ts'
import { delivery } from '../../support/deliveries.ts'

const next = new Date('2026-01-05T12:05:00.000Z')
const retrying = { status: 'retrying', nextRetryAt: next } as const
const inactive = { isActive: false }
const failing = { holdsFirstAttempts: true }

describe('what holds a delivery back', () => {
  // decision: `held_reason`
  // decision: Suspended companies
  it('is the first of these that is so, and while something does no next attempt has a time', () => {
    for (const [reason, fields, webhook] of [
      ['webhook_inactive', { status: 'pending', nextRetryAt: next }, inactive],
      ['webhook_inactive', retrying, inactive],
      [null, { status: 'success' }, inactive],
      [null, { status: 'failed' }, inactive],
      // An inactive webhook gets test events too.
      [null, { ...retrying, eventId: 'evt_test_1' }, inactive],
      [null, retrying, {}],
      // Nothing can be sent until that ends.
      ['company_suspended', retrying, { ...inactive, ...failing, isSuspended: true }],
      // For its first attempt, unless somebody asked for one.
      ['endpoint_failing', {}, failing],
      [null, { ...retrying, attempts: 1 }, failing],
      [null, { retrySeq: 1 }, failing],
      [null, { eventId: 'evt_test_1' }, failing],
    ] as [string | null, Partial<Delivery>, Partial<HoldingWebhook>][]) {
      const active = { isActive: true, isSuspended: false, holdsFirstAttempts: false }
      const held = { ...delivery(fields), payload: null, record: null, recordName: null, error: null }
      const shown = presentDelivery(held, { ...active, ...webhook })
      const at = reason === null ? (fields.nextRetryAt?.toISOString() ?? null) : null
      const expected = { held_reason: reason, ...(fields.status !== 'success' && { next_retry_at: at }) }
      expect(shown, JSON.stringify([fields, webhook])).to.include(expected)
    }
  })
})
