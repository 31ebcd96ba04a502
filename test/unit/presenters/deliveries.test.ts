import { expect } from 'chai'
import { presentDelivery } from '../../../src/presenters/deliveries.ts'
import type { HoldingWebhook } from '../../../src/domain/delivery/delivery.ts'
import { delivery } from '../../support/deliveries.ts'

const nextRetryAt = new Date('2026-01-05T12:05:00.000Z')

describe('what holds a delivery back', () => {
  const presentOf = (fields: Parameters<typeof delivery>[0], webhook: Partial<HoldingWebhook>) =>
    presentDelivery(
      { ...delivery(fields), payload: null, error: null },
      { isActive: true, isSuspended: false, holdsFirstAttempts: false, ...webhook },
    )
  const present = (fields: Parameters<typeof delivery>[0], isActive: boolean, holdsFirstAttempts = false) =>
    presentOf(fields, { isActive, holdsFirstAttempts })

  // decision: `held_reason`
  it('is shown while it is open and its webhook is inactive, with no next attempt', () => {
    for (const status of ['pending', 'retrying'] as const) {
      const shown = present({ status, nextRetryAt }, false)
      expect(shown).to.include({ held_reason: 'webhook_inactive', next_retry_at: null })
    }
  })

  // decision: Suspended companies
  it('is the suspension of its company before anything else, because nothing can be sent until that ends', () => {
    const all = { isActive: false, isSuspended: true, holdsFirstAttempts: true }
    for (const status of ['pending', 'retrying'] as const) {
      const shown = presentOf({ status, nextRetryAt }, all)
      expect(shown).to.include({ held_reason: 'company_suspended', next_retry_at: null })
    }
  })

  it('is null while the webhook is active', () => {
    const shown = present({ status: 'retrying', nextRetryAt }, true)
    expect(shown).to.include({ held_reason: null, next_retry_at: nextRetryAt.toISOString() })
  })

  // decision: `held_reason`
  it('is shown while its first attempt waits for an endpoint that fails, unless somebody asked for an attempt', () => {
    expect(present({}, true, true)).to.include({ held_reason: 'endpoint_failing', next_retry_at: null })
    const others = [
      { status: 'retrying', attempts: 1 },
      { retrySeq: 1 },
      { eventType: 'test.webhook' },
    ] as const
    for (const fields of others) expect(present(fields, true, true)).to.include({ held_reason: null })
  })

  it('is null once the delivery is closed', () => {
    for (const status of ['success', 'failed'] as const) {
      expect(present({ status }, false)).to.include({ held_reason: null })
    }
  })

  // decision: `held_reason`
  it('is null for a test event, which an inactive webhook gets too', () => {
    const shown = present({ status: 'retrying', eventType: 'test.webhook', nextRetryAt }, false)
    expect(shown).to.include({ held_reason: null, next_retry_at: nextRetryAt.toISOString() })
  })
})
