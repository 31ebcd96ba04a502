import { expect } from 'chai'
import type { Attempt, Delivery } from '../../../src/domain/delivery/delivery.ts'
import type { HoldingWebhook } from '../../../src/domain/delivery/gate.ts'
import { storedHeaders } from '../../../src/domain/delivery/kept-response.ts'
import * as presenters from '../../../src/presenters/deliveries.ts'
import { delivery } from '../../support/deliveries.ts'
import { sentFields } from '../../support/sent-fields.ts'

const next = new Date('2026-01-05T12:05:00.000Z')
const retrying = { status: 'retrying', nextRetryAt: next } as const
const inactive = { isActive: false }
const failing = { holdsFirstAttempts: true }

const active = { isActive: true, isSuspended: false, holdsFirstAttempts: false }

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
      // The suspension takes precedence, because no attempt can be sent until it ends.
      ['company_suspended', retrying, { ...inactive, ...failing, isSuspended: true }],
      // It waits for its first attempt, unless somebody requested a retry.
      ['endpoint_failing', {}, failing],
      [null, { ...retrying, attempts: 1 }, failing],
      [null, { retrySeq: 1 }, failing],
      [null, { eventId: 'evt_test_1' }, failing],
    ] as [string | null, Partial<Delivery>, Partial<HoldingWebhook>][]) {
      const held = { ...delivery(fields), payload: null, record: null, recordName: null, error: null }
      const shown = presenters.presentDelivery(held, { ...active, ...webhook })
      const at = reason === null ? (fields.nextRetryAt?.toISOString() ?? null) : null
      const expected = { held_reason: reason, ...(fields.status !== 'success' && { next_retry_at: at }) }
      expect(shown, JSON.stringify([fields, webhook])).to.include(expected)
    }
  })
})

const noon = new Date('2026-01-05T12:00:00.000Z')
/** The object as a client gets it, without members that have no value. */
const sent = (shown: object): unknown => JSON.parse(JSON.stringify(shown))

describe('a delivery of the API', () => {
  const found = (fields: Partial<Delivery> = {}) => ({
    ...delivery(fields),
    payload: Buffer.from('{"id":"evt_1"}'),
    record: 'contacts/7',
    recordName: 'Ada',
    error: null,
  })
  const COMMON = `id webhook_id event_type event_id record record_name status response_code response_body error attempts
    max_attempts request_duration_ms created_at resend_of`
  const fixed = { is_test: false, held_reason: null, payload: { id: 'evt_1' } }

  it('has what was answered and sent once it is successful, and no next attempt', () => {
    const answer = { responseCode: 200, responseBody: 'ok', requestDurationMs: 12, attempts: 2 }
    const success = found({ status: 'success', deliveredAt: noon, ...answer })
    const expected = sentFields(success, `${COMMON} delivered_at`)
    expect(sent(presenters.presentDelivery(success, active))).to.deep.equal({ ...expected, ...fixed })
    const durations = [success, found()].map((one) => presenters.presentTestResult(one).duration_ms)
    expect(durations).to.deep.equal([12, 0])
  })

  it('has its next attempt before that, and each attempt with its steps and what was kept of the answer', () => {
    const attempt: Attempt = {
      number: 1,
      startedAt: noon,
      durationMs: 9,
      responseCode: 302,
      responseBody: '',
      error: null,
      location: 'https://b.example/',
      trigger: 'scheduled',
      madeBy: 'worker',
      responseHeaders: storedHeaders({ 'x-a': 'b' }),
      steps: { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 4 },
    }
    const open = found({ status: 'retrying', nextRetryAt: noon })
    const made = [attempt, { ...attempt, responseHeaders: null }]
    const shown = sent(presenters.presentDeliveryDetail(open, active, made))
    const names = 'number started_at duration_ms response_code response_body error location trigger made_by'
    const log = {
      ...sentFields(attempt, names),
      ...sentFields(attempt.steps, 'dns_ms connect_ms tls_ms first_byte_ms'),
      response_headers: { 'x-a': 'b' },
      response_headers_cut: false,
    }
    const expected = { ...sentFields(open, `${COMMON} next_retry_at`), ...fixed }
    const attempts = [log, { ...log, response_headers: null }]
    expect(shown).to.deep.equal({ ...expected, attempt_log: attempts })
    const purged = { ...open, payload: null }
    expect(sent(presenters.presentDeliveryDetail(purged, active, []))).not.to.have.property('payload')
  })

  it('is queued for retry, and the answer says what it waits for', () => {
    const queued = 'Delivery queued for retry'
    for (const [parked, message] of [
      [null, queued],
      ['webhook_inactive', `${queued}. It will be sent when the webhook is active again.`],
      ['company_suspended', `${queued}. It will be sent when the company is no longer suspended.`],
    ] as const)
      expect(presenters.presentQueuedRetry(parked)).to.deep.equal({ success: true, message })
  })
})
