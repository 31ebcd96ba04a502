import { expect } from 'chai'
import type { Attempt } from '../../../src/domain/delivery/delivery.ts'
import { NO_STEPS } from '../../../src/domain/delivery/step-times.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import { presentAttention, presentWebhookName } from '../../../src/presenters/attention.ts'
import * as deliveries from '../../../src/presenters/deliveries.ts'
import { presentEventDetail, presentEventType, presentListedEvent } from '../../../src/presenters/events.ts'
import { presentCursorPage, presentPage } from '../../../src/presenters/pagination.ts'
import { presentListedResource, presentResource } from '../../../src/presenters/resources.ts'
import { presentCreatedWebhook, presentSecret, presentWebhook } from '../../../src/presenters/webhooks.ts'
import { delivery } from '../../support/deliveries.ts'
import { AT, COUNTERS, T, WEBHOOK, WIRE_WEBHOOK } from '../../support/wire.ts'

/** What a client reads: the answer as JSON. */
const read = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer))

describe('webhooks on the wire', () => {
  const headers = { 'x-a': 'b' }
  const shown = { webhook: WEBHOOK, headers, counters: COUNTERS, health: HEALTHY }

  it('have every field of the specification but the secret, and the health of their endpoint', () => {
    expect(presentWebhook(shown)).to.deep.equal(WIRE_WEBHOOK)
    const counters = { ...COUNTERS, lastTriggeredAt: null, lastSuccessAt: null }
    const health = { ...HEALTHY, failingSince: AT, consecutiveFailures: 3, lastError: 'http_500' }
    const failing = { state: 'failing', failing_since: T, consecutive_failures: 3, last_error: 'http_500' }
    expect(presentWebhook({ ...shown, counters, health })).to.deep.equal({
      ...WIRE_WEBHOOK,
      last_triggered_at: null,
      health: { ...failing, last_success_at: null, waiting: 2 },
    })
    const webhook = { ...WEBHOOK, retrySchedule: [5, 300] }
    const scheduled = { ...WIRE_WEBHOOK, retry_schedule: [5, 300] }
    expect(presentWebhook({ ...shown, webhook })).to.deep.equal(scheduled)
  })

  it('show the secret when they are created and when it is replaced', () => {
    const { id, name, description, url, events, is_active, max_retries, created_at } = WIRE_WEBHOOK
    const created = { id, name, description, url, events, is_active, headers, max_retries, created_at }
    const secret = 'whsec_a'
    expect(presentCreatedWebhook({ webhook: WEBHOOK, headers, secret })).to.deep.equal({ ...created, secret })
    expect(presentSecret({ id, secret })).to.deep.equal({ id, secret })
  })

  it('are counted where the console shows which ones need somebody', () => {
    const counts = { webhooks: 5, unwell: 1, waiting: 2 }
    const attention = presentAttention({ ...counts, unwellWebhooks: [shown], expiringKeys: [] })
    const unwell = { ...WIRE_WEBHOOK, headers: { 'x-a': null } }
    expect(attention).to.deep.equal({ ...counts, unwell_webhooks: [unwell], expiring_keys: [] })
    const { id, name, events } = WIRE_WEBHOOK
    expect(presentWebhookName(WEBHOOK)).to.deep.equal({ id, name, events })
  })
})

describe('deliveries on the wire', () => {
  const webhook = { isActive: true, isSuspended: false, holdsFirstAttempts: false }
  const payload = Buffer.from('{"id":"evt_1"}')
  const answered = { attempts: 1, responseCode: 200, responseBody: 'ok', requestDurationMs: 12 }
  const answer = { response_code: 200, response_body: 'ok', error: null }
  const common = {
    ...answer,
    id: 'del_1',
    webhook_id: 'whk_1',
    event_type: 'contact.created',
    event_id: 'evt_1',
    attempts: 1,
    max_attempts: 3,
    request_duration_ms: 12,
    created_at: T,
    held_reason: null,
    resend_of: null,
  }
  const success = delivery({ ...answered, status: 'success', deliveredAt: AT })
  const delivered = { ...success, payload, error: null }
  const failure = delivery({ ...answered, status: 'failed', responseCode: 500 })
  const failed = { ...failure, payload, error: 'body_cut' }

  it('have delivered_at and the payload once they succeeded, and else next_retry_at', () => {
    const succeeded = { status: 'success', delivered_at: T, payload: { id: 'evt_1' } }
    const ofSuccess = read(deliveries.presentListedDelivery({ delivery: delivered, webhook }))
    expect(ofSuccess).to.deep.equal({ ...common, ...succeeded })
    const ended = { status: 'failed', response_code: 500, error: 'body_cut', next_retry_at: null }
    const ofFailure = deliveries.presentListedDelivery({ delivery: failed, webhook })
    expect(ofFailure).to.deep.equal({ ...common, ...ended })
    const purged = deliveries.presentListedDelivery({ delivery: { ...delivered, payload: null }, webhook })
    expect(read(purged)).to.not.have.property('payload')
  })

  it('have one by one their payload and their attempts', () => {
    const attempt: Attempt = {
      number: 1,
      startedAt: AT,
      durationMs: 12,
      responseCode: 302,
      responseBody: 'text',
      error: null,
      location: '/b',
      responseHeaders: '{"headers":[["server","a"]],"isCut":true}',
      trigger: 'manual',
      steps: { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4 },
      madeBy: 'worker',
    }
    const shown = {
      number: 1,
      started_at: T,
      duration_ms: 12,
      dns_ms: 1,
      connect_ms: 2,
      tls_ms: 3,
      first_byte_ms: 4,
      response_code: 302,
      response_headers: { server: 'a' },
      response_headers_cut: true,
      response_body: 'text',
      error: null,
      location: '/b',
      trigger: 'manual',
      made_by: 'worker',
    }
    const detail = read(deliveries.presentDeliveryDetail(failed, webhook, [attempt]))
    expect(detail).to.deep.include({ payload: { id: 'evt_1' }, attempt_log: [shown] })
    const bare = deliveries.presentAttempt({ ...attempt, responseHeaders: null, steps: NO_STEPS })
    const none = { response_headers: null, response_headers_cut: false, dns_ms: null }
    expect(bare).to.deep.include(none)
  })

  it('of a test event say at once what came of it', () => {
    const result = { ...answer, success: true, delivery_id: 'del_1', duration_ms: 12 }
    expect(deliveries.presentTestResult(delivered)).to.deep.equal(result)
    const unanswered = deliveries.presentTestResult({ ...failed, requestDurationMs: null })
    expect(unanswered).to.include({ success: false, duration_ms: 0, error: 'body_cut' })
  })

  it('are queued for retry, and say until when they are held', () => {
    const queued = { success: true, message: 'Delivery queued for retry' }
    expect(deliveries.presentQueuedRetry(null)).to.deep.equal(queued)
    const whenActive = ' It will be sent when the webhook is active again.'
    expect(deliveries.presentQueuedRetry('webhook_inactive').message).to.equal(
      `${queued.message}.${whenActive}`,
    )
    expect(deliveries.presentQueuedRetry('company_suspended').message).to.match(
      / when the company is no longer suspended\.$/,
    )
  })
})

describe('events and records on the wire', () => {
  const event = { id: 'evt_1', type: 'contact.created', createdAt: AT, deliveries: 2 }

  it('have their payload as it was stored, where it was read', () => {
    const shown = { id: 'evt_1', event: 'contact.created', created_at: T, deliveries: 2 }
    expect(read(presentListedEvent({ ...event, payload: null }))).to.deep.equal(shown)
    const body = Buffer.from('{"a": 1}')
    const detail = presentEventDetail({ ...event, body, fingerprint: body }, [{ id: 'del_1' }])
    expect(read(detail)).to.deep.equal({ ...shown, payload: { a: 1 }, deliveries: [{ id: 'del_1' }] })
    const entry = { name: 'contact.created', description: 'A.', example: { id: 1 } } as const
    const type = presentEventType({ ...entry, entity: 'contact' })
    expect(type).to.deep.equal({ ...entry, family: 'contact' })
  })

  it('are the same record alone and in a list', () => {
    const record = { id: 'con_1', createdAt: AT, updatedAt: new Date(0) }
    const fields = { name: 'Ada "A"', custom: {} }
    const shown = { id: 'con_1', ...fields, created_at: T, updated_at: '1970-01-01T00:00:00.000Z' }
    expect(presentResource({ ...record, family: 'contacts', fields })).to.deep.equal(shown)
    const listed = presentListedResource({ ...record, fieldsJson: Buffer.from(JSON.stringify(fields)) })
    expect(JSON.stringify(listed)).to.equal(JSON.stringify(shown))
  })
})

describe('lists on the wire', () => {
  it('say whether there is more, by page and by cursor', () => {
    const page = { items: [1, 2], total: 5, limit: 2, page: 2 }
    const pagination = { total: 5, limit: 2, page: 2, has_more: true }
    expect(presentPage(page, (n) => -n)).to.deep.equal({ data: [-1, -2], pagination })
    for (const nextCursor of ['next', null]) {
      expect(presentCursorPage({ items: [1], limit: 2, nextCursor }, (n) => -n)).to.deep.equal({
        data: [-1],
        pagination: { limit: 2, has_more: nextCursor !== null, next_cursor: nextCursor },
      })
    }
  })
})
