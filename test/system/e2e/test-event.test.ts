// Also on MySQL with direct attempts: it matters who makes the first attempt.
import { expect } from 'chai'
import { exampleContent } from '../../../src/domain/event/catalog.ts'
import { stackDeps } from '../../support/database.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { startHeldEndpoint, useEndpointsOn } from '../../support/stack-endpoints.ts'
import { verdictOf, createContact, createTestWebhook, publishMany } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

describe('the test event', () => {
  // Its reconciler looks every second, which must not send a test event twice.
  const use = useStack({ environment: { RECONCILE_AFTER: '1s', WEBHOOK_TIMEOUT: '6s' } })
  const endpoints = useEndpointsOn(use)

  // decision: No version header
  it('is sent at once, signed, and its result is the answer', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const answer = await webhook.test()
    expect(answer.status).to.equal(200)
    expect(answer.body.data).to.include({ success: true, response_code: 200, response_body: '{"ok":true}' })
    const request = await use.stack.receiver.next(webhook.path)
    const envelope = JSON.parse(request.body.toString())
    expect(request.verified).to.equal(true)
    expect(envelope).to.include({ event: 'test.webhook', api_version: '2025-12-01' })
    expect(envelope.id).to.match(/^evt_test_/)
    expect(envelope.data.webhook_id).to.equal(webhook.id)
    expect(envelope.data.message).to.be.a('string')
  })

  // decision: Test events of a type
  // decision: 410
  it('looks like an event of any type when it is asked for, is told apart by its id, and its 410 deactivates nothing', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const other = await createTestWebhook(use.stack, use.tenant, { events: ['deal.stage_changed'] })
    webhook.behave({ status: 410 })
    const data = { deep: ['ü'] }
    const context = { subject: '4', revision: 3 }
    const previous = { deep: [] }
    for (const [body, told] of [
      [{ event: 'deal.stage_changed' }, exampleContent('deal.stage_changed')],
      [
        { event: 'contact.created', data },
        { type: 'contact.created', data },
      ],
      [
        { event: 'contact.updated', previous, data, ...context },
        { type: 'contact.updated', ...context, data, previous },
      ],
    ] as const) {
      const { type, ...content } = told
      const answer = await webhook.test(body)
      expect(answer.body.data).to.include({ success: false, response_code: 410 })
      const request = await use.stack.receiver.next(webhook.path)
      const { id, created_at, ...envelope } = JSON.parse(request.body.toString())
      expect(request.headers['webhook-id']).to.equal(id)
      expect(id).to.match(/^evt_test_/)
      expect(Math.abs(Date.parse(created_at) - Date.now())).to.be.below(60_000)
      const given = { event: type, api_version: '2025-12-01', ...content }
      expect(JSON.stringify(envelope)).to.equal(JSON.stringify(given))
      const { published_by } = (await use.tenant.request('GET', `/api-v1-events/${id}`)).body.data
      expect(published_by).to.include({ type: 'key', id: use.tenant.keyId, via: 'test' })
      const delivery = await webhook.detail(answer.body.data.delivery_id)
      expect(delivery).to.include({ event_type: type, event_id: id, is_test: true, max_attempts: 1 })
    }
    expect(await webhook.get()).to.include({ is_active: true, deactivated_reason: null })
    expect(await other.deliveries()).to.deep.equal([])
    await createContact(use.tenant)
    expect((await webhook.deliveries())[0]).to.include({ event_type: 'contact.created', is_test: false })
  })

  it('is sent by the command line too, which shows the answer', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const test = ['webhook', 'test', '--id', webhook.id, '--event', 'deal.created', '--data', '{"name":"A"}']
    const deps = { ...stackDeps(use.stack), temporal: use.stack.temporal }
    expect(await runCommand(deps, ...test)).to.include({ success: true, response_code: 200 })
    const { body } = await use.stack.receiver.next(webhook.path)
    expect(JSON.parse(body.toString())).to.deep.include({ event: 'deal.created', data: { name: 'A' } })
  })

  // decision: No test by a delivery
  it('cannot be asked for by a delivery, which would send the next one without end', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await webhook.test()
    const { headers } = await use.stack.receiver.next(webhook.path)
    const answer = await use.tenant.request('POST', `/api-v1-webhooks/${webhook.id}/test`, undefined, {
      'User-Agent': headers['user-agent']!,
    })
    expect(verdictOf(answer)).to.equal('400 INVALID_REQUEST')
    expect(await webhook.deliveries()).to.have.length(1)
  })

  for (const [what, behaviour, response_code, response_body, error] of [
    ['fails', { status: 503, body: 'down' }, 503, 'down', null],
    ['is not reached', { reset: true }, null, null, 'connection_reset'],
  ] as const)
    // decision: Test event
    it(`answers in the same shape when the endpoint ${what}`, async () => {
      const webhook = await createTestWebhook(use.stack, use.tenant)
      webhook.behave(behaviour)
      const { status, body } = await webhook.test()
      expect(status).to.equal(200)
      expect(body.data).to.include({ success: false, response_code, response_body, error })
      expect(body.data.duration_ms).to.be.a('number')
    })

  // decision: Test event
  it('is a delivery like the others: listed, counted, and it can be retried when it failed', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    webhook.behave({ failTimes: 1, status: 500 })
    const { body } = await webhook.test()
    const listed = await webhook.delivery('failed')
    expect(listed).to.include({ id: body.data.delivery_id, event_type: 'test.webhook', attempts: 1 })
    expect(listed).to.include({ max_attempts: 1 })
    await webhook.retry(listed.id)
    await webhook.delivery('success')
    const counted = { total_deliveries: 1, successful_deliveries: 1, failed_deliveries: 0 }
    expect(await webhook.get()).to.include(counted)
  })

  // decision: A test event has room of its own
  it('does not wait behind the webhook’s own backlog', async () => {
    const slots = 10
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 0 })
    webhook.behave({ hang: true })
    await publishMany(use.tenant, 3 * slots)
    await use.stack.receiver.waitFor(webhook.path, slots)
    webhook.behave({})
    expect((await webhook.test()).body.data).to.include({ success: true })
    const arrived = webhook.requests().map(({ body }) => JSON.parse(body.toString()))
    // A slow machine lets attempts time out, so other deliveries of the backlog come before the test event.
    expect(arrived.findIndex(({ event }) => event === 'test.webhook')).to.be.within(slots, 3 * slots - 1)
    await webhook.remove()
  })

  it('answers 404 when the webhook is deleted meanwhile', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    const webhook = await createTestWebhook(use.stack, use.tenant, { url: endpoint.url })
    const answer = webhook.test()
    await endpoint.arrived(1)
    await webhook.remove()
    endpoint.answer(1, 200)
    expect((await answer).body.error?.code).to.equal('NOT_FOUND')
  })

  it('is sent once although its endpoint takes longer than two rounds of the reconciler', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    webhook.behave({ delayMs: 2_500 })
    expect((await webhook.test()).body.data).to.include({ success: true })
    expect(webhook.requests()).to.have.length(1)
    const { companyId } = use.tenant.tenant
    expect(await use.stack.db('outbox').where({ company_id: companyId })).to.deep.equal([])
  })
})

describe('the test event where no worker is', () => {
  const use = useStack('quiet')

  // decision: Test event without a worker
  it('is answered with 503 at once', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const answer = await webhook.test()
    expect(verdictOf(answer)).to.equal('503 SERVICE_UNAVAILABLE')
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/)
    // The command started no run for which it could have waited.
    expect(await webhook.deliveries()).to.deep.equal([])
  })
})
