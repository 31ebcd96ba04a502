import { expect } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { until } from '../../support/poll.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook } from '../../support/webhooks.ts'

describe('deliveries, from a change to a verified request', () => {
  const use = useStack()

  it('delivers the change as a signed request and shows it as success', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { headers: { 'X-Team': 'blue' } })
    const contact = await createContact(use.tenant)
    const request = await use.stack.receiver.next(webhook.path)
    const shown = await webhook.delivery('success')

    expect(request.method).to.equal('POST')
    expect(request.verified).to.equal(true)
    expect(request.headers).to.include({
      'content-type': 'application/json',
      'user-agent': 'SalesDataWebhooks/1.0',
      'x-team': 'blue',
      'webhook-id': shown.event_id,
    })
    const envelope = JSON.parse(request.body.toString())
    expect(Object.keys(envelope)).to.deep.equal(['id', 'event', 'created_at', 'data'])
    expect(envelope).to.deep.include({ id: shown.event_id, event: 'contact.created', data: contact })

    expect(shown).to.deep.include({
      webhook_id: webhook.id,
      event_type: 'contact.created',
      attempts: 1,
      max_attempts: 6,
    })
    expect(shown).to.deep.include({ response_code: 200, response_body: '{"ok":true}', payload: envelope })
    expect(shown.delivered_at).to.match(/Z$/)
    expect(shown).to.not.have.property('next_retry_at')
    expect(shown.request_duration_ms).to.be.a('number')
  })

  // decision: Signature
  it('is accepted by the verifiers of standardwebhooks and svix', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant, 'Zoë 東京 🚀')
    const { body, headers } = await use.stack.receiver.next(webhook.path)
    const signed = headers as Record<string, string>
    for (const Verifier of [StandardWebhook, SvixWebhook]) {
      expect(() => new Verifier(webhook.secret).verify(body.toString(), signed)).to.not.throw()
      expect(() => new Verifier(webhook.secret).verify(`${body.toString()} `, signed)).to.throw()
    }
  })

  it('retries a failed attempt on the schedule, with the same id and a fresh timestamp', async () => {
    // With 1 s, less its jitter, both attempts can be in the same second, and timestamps are whole seconds.
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [2] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 503, body: 'down' })
    await createContact(use.tenant)
    const waiting = await webhook.delivery('retrying')
    expect(waiting).to.include({ attempts: 1, response_code: 503, response_body: 'down' })
    expect(waiting).to.not.have.any.keys('delivered_at', 'payload')
    const [first, second] = await use.stack.receiver.waitFor(webhook.path, 2)
    const gapMs = second!.receivedAt.getTime() - first!.receivedAt.getTime()
    expect(gapMs).to.be.within(1_750, 5_000)
    expect(Date.parse(waiting.next_retry_at) - first!.receivedAt.getTime()).to.be.within(1_750, 2_500)
    expect(second!.headers['webhook-id']).to.equal(first!.headers['webhook-id'])
    expect(Number(second!.headers['webhook-timestamp'])).to.be.greaterThan(
      Number(first!.headers['webhook-timestamp']),
    )
    expect([first!.verified, second!.verified]).to.deep.equal([true, true])
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
  })

  // decision: One delay
  // decision: A workflow's first attempt is a normal activity
  it('gives Temporal exactly the delay that next_retry_at shows', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [600] })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    await createContact(use.tenant)
    const waiting = await webhook.delivery('retrying')
    const handle = use.stack.temporal.workflow.getHandle(waiting.id)
    const [pending] = await until(
      async () => (await handle.describe()).raw.pendingActivities ?? [],
      ([activity]) => (activity?.attempt ?? 0) === 2,
    )
    const scheduledMs = Number(pending!.scheduledTime!.seconds) * 1000 + pending!.scheduledTime!.nanos! / 1e6
    expect(scheduledMs).to.be.closeTo(Date.parse(waiting.next_retry_at), 500)
    expect(pending!.maximumAttempts).to.equal(6)
  })

  // decision: A failed delivery's workflow ends as Failed
  it('fails a delivery once max_retries is used up, and its workflow fails', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 2 })
    use.stack.receiver.behave(webhook.path, { status: 500, body: 'no' })
    await createContact(use.tenant)
    const failed = await webhook.delivery('failed')
    expect(failed).to.include({ attempts: 3, max_attempts: 3, response_code: 500, next_retry_at: null })
    expect(use.stack.receiver.requestsTo(webhook.path).length).to.equal(3)
    const status = await until(
      async () => (await use.stack.temporal.workflow.getHandle(failed.id).describe()).status.name,
      (name) => name !== 'RUNNING',
    )
    expect(status).to.equal('FAILED')
    const { attempt_log, payload } = await webhook.detail(failed.id)
    expect(payload.event).to.equal('contact.created')
    expect(
      attempt_log.map(({ number, trigger, error }: Record<string, unknown>) => [number, trigger, error]),
    ).to.deep.equal([
      [1, 'scheduled', null],
      [2, 'scheduled', null],
      [3, 'scheduled', null],
    ])
  })

  // decision: max_attempts
  it('sends once when max_retries is 0', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { status: 404 })
    await createContact(use.tenant)
    expect(await webhook.delivery('failed')).to.include({ attempts: 1, max_attempts: 1 })
  })

  // decision: Success
  it('treats a redirect as a failure and never follows it', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { redirect: use.stack.receiver.url('/elsewhere') })
    await createContact(use.tenant)
    const failed = await webhook.delivery('failed')
    expect(failed).to.include({ response_code: 302, error: null })
    const { attempt_log } = await webhook.detail(failed.id)
    expect(attempt_log[0]).to.include({ location: use.stack.receiver.url('/elsewhere') })
    expect(use.stack.receiver.requestsTo('/elsewhere')).to.deep.equal([])
  })

  // decision: Reasons
  // decision: `error`
  it('records why an endpoint was not reached', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, {
      max_retries: 0,
      url: 'https://127.0.0.1:1/',
    }).catch(() => undefined)
    const hanging = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(hanging.path, { hang: true })
    await createContact(use.tenant)
    const failed = await hanging.delivery('failed')
    expect(failed).to.include({ response_code: null, response_body: null, error: 'response_timeout' })
    const { attempt_log, error } = await hanging.detail(failed.id)
    expect(attempt_log[0]).to.include({ error, response_code: null, location: null })
    expect(webhook).to.equal(undefined)
  })

  // decision: 410
  it('deactivates the webhook on 410 and parks what is open', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 410 })
    await createContact(use.tenant)
    const gone = await until(webhook.get, ({ is_active }) => is_active === false)
    expect(gone.deactivated_reason).to.equal('gone')
    const [parked] = await webhook.deliveries()
    expect(parked).to.include({ status: 'retrying', attempts: 1, next_retry_at: null })
    expect(parked.held_reason).to.equal('webhook_inactive')
    await use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, { is_active: true })
    expect((await webhook.get()).deactivated_reason).to.equal(null)
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
  })

  it('makes no delivery for a type that the webhook does not subscribe to, nor for a sandbox event', async () => {
    const other = await createTestWebhook(use.stack, use.tenant, { events: ['deal.created'] })
    const subscribed = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    await subscribed.delivery('success')
    expect(await other.deliveries()).to.deep.equal([])
    expect((await other.get()).total_deliveries).to.equal(0)
  })

  it('filters the list by status and counts what it filters', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 500 })
    await createContact(use.tenant)
    await webhook.delivery('failed')
    await createContact(use.tenant)
    await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 1)
    for (const status of ['failed', 'success', 'pending', 'retrying']) {
      const expected = ['failed', 'success'].includes(status) ? 1 : 0
      const answer = await use.tenant.request(
        'GET',
        `/api-v1-webhooks/${webhook.id}/deliveries?status=${status}`,
      )
      expect(answer.body.data.length, status).to.equal(expected)
      expect(answer.body.pagination).to.deep.equal({ total: expected, limit: 50, page: 1, has_more: false })
    }
    const bad = await use.tenant.request('GET', `/api-v1-webhooks/${webhook.id}/deliveries?status=done`)
    expect(bad.body.error.code).to.equal('VALIDATION_ERROR')
  })

  // decision: Counters
  // decision: `updated_at`
  it('shows the same counts on the webhook as the rows have', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    use.stack.receiver.behave(webhook.path, { failTimes: 2, status: 500 })
    for (let index = 0; index < 5; index++) await createContact(use.tenant)
    const counted = await until(
      webhook.get,
      (shown) => Number(shown.successful_deliveries) + Number(shown.failed_deliveries) === 5,
    )
    expect(counted).to.include({ total_deliveries: 5, successful_deliveries: 3, failed_deliveries: 2 })
    expect(counted.last_triggered_at).to.match(/Z$/)
    expect(counted.updated_at).to.equal(counted.created_at)
  })

  it('shows a delivery only under its own webhook', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const other = await createTestWebhook(use.stack, use.tenant, { events: ['deal.created'] })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('success')
    const foreign = await use.tenant.request('GET', `/api-v1-webhooks/${other.id}/deliveries/${id}`)
    expect(foreign.body).to.deep.equal({ error: { code: 'NOT_FOUND', message: 'Delivery not found.' } })
  })
})
