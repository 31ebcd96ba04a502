import { expect } from 'chai'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { DEFAULT_SETTINGS } from '../../../src/domain/webhook/settings.ts'
import type { Webhook } from '../../../src/domain/webhook/webhook.ts'
import { presentCreatedWebhook, presentWebhook, withHiddenValues } from '../../../src/presenters/webhooks.ts'
import { sentFields } from '../../support/sent-fields.ts'

const noon = new Date('2026-01-05T12:00:00.000Z')
const later = new Date('2026-01-05T13:00:00.000Z')

describe('a webhook of the API', () => {
  const { headers: _, ...settings } = DEFAULT_SETTINGS
  const webhook: Webhook = {
    ...settings,
    id: 'whk_1',
    name: 'CRM',
    url: 'https://a.example/',
    events: ['deal.won'],
    headersSealed: null,
    deactivatedReason: 'failing',
    version: 1,
    createdAt: noon,
    updatedAt: later,
  }
  const headers = { 'X-Token': 'secret' }
  const common = {
    ...sentFields(webhook, 'id name description url events is_active max_retries created_at'),
    headers,
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
      ...common,
      ...sentFields(webhook, 'deactivated_reason updated_at'),
      ...sentFields(counters, 'last_triggered_at total_deliveries successful_deliveries failed_deliveries'),
      health: {
        state: 'failing',
        ...sentFields(health, 'failing_since consecutive_failures last_error'),
        ...sentFields(counters, 'last_success_at waiting'),
      },
    })
    const created = presentCreatedWebhook({ webhook, headers, secret: 'whsec_x' })
    expect(created).to.deep.equal({ ...common, secret: 'whsec_x' })
    expect(withHiddenValues(shown).headers).to.deep.equal({ 'X-Token': null })
  })
})
