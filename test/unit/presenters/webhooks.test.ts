import { expect } from 'chai'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import type { Webhook } from '../../../src/domain/webhook/webhook.ts'
import { presentCreatedWebhook, presentWebhook, withHiddenValues } from '../../../src/presenters/webhooks.ts'

const NOON = '2026-01-05T12:00:00.000Z'
const LATER = '2026-01-05T13:00:00.000Z'
const [noon, later] = [new Date(NOON), new Date(LATER)]

describe('a webhook of the API', () => {
  const webhook: Webhook = {
    id: 'whk_1',
    name: 'CRM',
    description: null,
    url: 'https://a.example/',
    events: ['deal.won'],
    isActive: true,
    maxRetries: 5,
    retrySchedule: null,
    filter: null,
    sendTraceparent: false,
    headersSealed: null,
    deactivatedReason: 'failing',
    version: 1,
    createdAt: noon,
    updatedAt: later,
  }
  const headers = { 'X-Token': 'secret' }
  const COMMON = {
    id: 'whk_1',
    name: 'CRM',
    description: null,
    url: 'https://a.example/',
    events: ['deal.won'],
    is_active: true,
    headers,
    max_retries: 5,
    created_at: NOON,
  }
  const counters = {
    totalDeliveries: 6,
    successfulDeliveries: 3,
    failedDeliveries: 2,
    waiting: 1,
    lastTriggeredAt: noon,
    lastSuccessAt: later,
  }
  const health = { ...HEALTHY, consecutiveFailures: 4, failingSince: noon, lastError: 'http_500' }

  it('has figures and health but no secret, which its creation alone shows', () => {
    const shown = presentWebhook({ webhook, headers, counters, health })
    expect(shown).to.deep.equal({
      ...COMMON,
      deactivated_reason: 'failing',
      updated_at: LATER,
      last_triggered_at: NOON,
      total_deliveries: 6,
      successful_deliveries: 3,
      failed_deliveries: 2,
      health: {
        state: 'failing',
        failing_since: NOON,
        consecutive_failures: 4,
        last_success_at: LATER,
        last_error: 'http_500',
        waiting: 1,
      },
    })
    const created = presentCreatedWebhook({ webhook, headers, secret: 'whsec_x' })
    expect(created).to.deep.equal({ ...COMMON, secret: 'whsec_x' })
    expect(withHiddenValues(shown).headers).to.deep.equal({ 'X-Token': null })
  })

  it('names a setting of its own only where it has one, and no time of what never was', () => {
    const own = { retrySchedule: [1], filter: { status: ['won'] }, sendTraceparent: true }
    const fields = { webhook: { ...webhook, ...own } as unknown as Webhook, headers, secret: 'whsec_x' }
    const settings = { retry_schedule: [1], filter: { status: ['won'] }, send_traceparent: true }
    expect(presentCreatedWebhook(fields)).to.deep.include(settings)
    const never = { ...counters, lastTriggeredAt: null, lastSuccessAt: null }
    const shown = presentWebhook({ webhook, headers, counters: never, health: HEALTHY })
    expect([shown.last_triggered_at, shown.health.last_success_at]).to.deep.equal([null, null])
    expect(shown.health.failing_since).to.equal(null)
  })
})
