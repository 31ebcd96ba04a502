import { expect } from 'chai'
import { presentDelivery } from '../../src/presenters/deliveries.js'
import { delivery } from '../support/deliveries.js'

const nextRetryAt = new Date('2026-01-05T12:05:00.000Z')

describe('what holds a delivery back', () => {
  const present = (fields: Parameters<typeof delivery>[0], isActive: boolean) =>
    presentDelivery({ ...delivery(fields), payload: null, error: null }, { isActive })

  // decision: `held_reason`
  it('is shown while it is open and its webhook is inactive, with no next attempt', () => {
    for (const status of ['pending', 'retrying'] as const) {
      const shown = present({ status, nextRetryAt }, false)
      expect(shown).to.include({ held_reason: 'webhook_inactive', next_retry_at: null })
    }
  })

  it('is null while the webhook is active', () => {
    const shown = present({ status: 'retrying', nextRetryAt }, true)
    expect(shown).to.include({ held_reason: null, next_retry_at: nextRetryAt.toISOString() })
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
