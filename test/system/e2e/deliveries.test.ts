import type { WorkflowFailedError } from '@temporalio/client'
import { tsToMs } from '@temporalio/common/lib/time.js'
import { expect } from 'chai'
import { currentDetails } from '../../support/crashes.ts'
import { until, untilIs } from '../../support/poll.ts'
import { type Json, createContact, createTestWebhook, deliver } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

describe('deliveries, from a change to a verified request', () => {
  const use = useStack()

  // decision: Data of an event
  // decision: Counters
  // decision: `updated_at`
  it('delivers the change as a signed request, shows it as success, and counts it', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { headers: { 'X-Team': 'blue' } })
    const contact = await createContact(use.tenant)
    const request = await use.stack.receiver.next(webhook.path)
    const shown = await webhook.delivery('success')

    expect(request.method).to.equal('POST')
    expect(request.verified).to.equal(true)
    const own = { 'content-type': 'application/json', 'user-agent': 'SalesDataWebhooks/1.0' }
    expect(request.headers).to.include({ ...own, 'x-team': 'blue', 'webhook-id': shown.event_id })
    const envelope = JSON.parse(request.body.toString())
    const { created_at: createdAt, ...told } = envelope
    const about = { subject: contact.id, revision: 1, data: contact }
    expect(told).to.deep.equal({ id: shown.event_id, event: 'contact.created', ...about })
    expect(createdAt).to.match(/Z$/)

    const answered = { response_code: 200, response_body: '{"ok":true}', payload: envelope }
    expect(shown).to.deep.include({ webhook_id: webhook.id, attempts: 1, max_attempts: 6, ...answered })
    const counted = await webhook.get()
    expect(counted).to.include({ total_deliveries: 1, successful_deliveries: 1, failed_deliveries: 0 })
    expect(counted.last_triggered_at).to.match(/Z$/)
    expect(counted.updated_at).to.equal(counted.created_at)
  })

  it('retries a failed attempt on the schedule, with the same id and a fresh timestamp', async () => {
    // The wait is long enough to observe. Timestamps are whole seconds.
    const down = { failTimes: 1, status: 503, body: 'down' }
    const { webhook, shown: waiting } = await deliver(use, 'retrying', { retry_schedule: [4] }, down)
    expect(waiting).to.include({ attempts: 1, response_code: 503, response_body: 'down' })
    expect(waiting).to.not.have.any.keys('delivered_at', 'payload')
    const [first, second] = await use.stack.receiver.waitFor(webhook.path, 2)
    // How late the attempt comes after it is due depends on the machine.
    for (const atMs of [second!.receivedAt.getTime(), Date.parse(waiting.next_retry_at)])
      expect(atMs - first!.receivedAt.getTime()).to.be.at.least(3_550)
    expect(second!.headers['webhook-id']).to.equal(first!.headers['webhook-id'])
    const firstTimestamp = Number(first!.headers['webhook-timestamp'])
    expect(Number(second!.headers['webhook-timestamp'])).to.be.greaterThan(firstTimestamp)
    expect([first!.verified, second!.verified]).to.deep.equal([true, true])
    expect(await webhook.delivery('success')).to.include({ attempts: 2 })
  })

  // decision: One delay
  // decision: A workflow's first attempt is a local activity
  it('gives Temporal exactly the delay that next_retry_at shows', async () => {
    const fields = { retry_schedule: [600] }
    const { webhook, shown: waiting } = await deliver(use, 'retrying', fields, { status: 500 })
    const handle = use.stack.temporal.workflow.getHandle(waiting.id)
    const [pending] = await until(
      async () => (await handle.describe()).raw.pendingActivities ?? [],
      ([activity]) => (activity?.attempt ?? 0) === 2,
    )
    const { attempt_log: log } = await webhook.detail(waiting.id)
    const endedMs = Date.parse(log[0].started_at) + Number(log[0].duration_ms)
    // For the row the delay began with the attempt's record, and for Temporal when the worker reported it.
    const toldMs = tsToMs(pending!.lastAttemptCompleteTime)
    const dueMs = Date.parse(waiting.next_retry_at)
    expect(tsToMs(pending!.scheduledTime)).to.be.within(dueMs - 100, dueMs + toldMs - endedMs + 100)
    expect(pending!.maximumAttempts).to.equal(6)
  })

  /** The failure of a delivery's workflow, once it has failed. */
  const failureOf = (id: string): Promise<Error & { type?: string }> =>
    use.stack.temporal.workflow
      .getHandle(id)
      .result()
      .then(
        () => new Error('it did not fail'),
        (error: unknown) => (error as WorkflowFailedError).cause!,
      )

  // decision: A failed delivery's workflow ends as Failed
  it('fails a delivery once max_retries is used up, and its workflow says with which status', async () => {
    const { webhook, shown: failed } = await deliver(use, 'failed', { max_retries: 2 }, { status: 500 })
    expect(failed).to.include({ attempts: 3, max_attempts: 3, response_code: 500, next_retry_at: null })
    expect(webhook.requests().length).to.equal(3)
    const { message, type } = await failureOf(failed.id)
    expect([message, type]).to.deep.equal(['http_500 after 3 attempts', 'DeliveryFailed'])
    expect((await use.stack.temporal.workflow.getHandle(failed.id).describe()).status.name).to.equal('FAILED')
    const { attempt_log, payload } = await webhook.detail(failed.id)
    expect(payload.event).to.equal('contact.created')
    expect(attempt_log.map(({ number, trigger, error }: Json) => [number, trigger, error])).to.deep.equal(
      [1, 2, 3].map((number) => [number, 'scheduled', null]),
    )
  })

  // decision: Payloads of all families
  it('shows payloads of every family to a key that reads webhooks alone', async () => {
    const events = ['contact.created', 'deal.created']
    const webhook = await createTestWebhook(use.stack, use.tenant, { events })
    await createContact(use.tenant)
    await use.tenant.request('POST', '/api-v1-deals', { name: 'Example Deal' })
    await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 2)
    const { companyId } = use.tenant.tenant
    const reader = await use.stack.tenant({ companyId, scopes: ['read:webhooks'] })
    const { body } = await reader.request('GET', `/api-v1-webhooks/${webhook.id}/deliveries`)
    const names = body.data.map(({ payload }: Json) => payload.data.name as string)
    expect(names).to.have.members(['Ada Lovelace', 'Example Deal'])
    expect((await reader.request('GET', '/api-v1-deals')).status).to.equal(403)
  })

  it('keeps its max_attempts, and uses the URL and headers that the webhook has at each attempt', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1], max_retries: 3 })
    webhook.behave({ status: 500 })
    await createContact(use.tenant)
    await webhook.delivery('retrying')
    const moved = `${webhook.path}-moved`
    use.stack.receiver.trust(moved, webhook.secret)
    const change = { url: use.stack.receiver.url(moved), headers: { 'X-New': 'yes' }, max_retries: 0 }
    await webhook.change(change)
    const request = await use.stack.receiver.next(moved)
    expect(request.headers['x-new']).to.equal('yes')
    expect(await webhook.delivery('success')).to.include({ max_attempts: 4 })
  })

  // decision: What Temporal shows of a delivery
  it('is found in Temporal by its ids, and says there what it is, whose, and where the API shows it', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id, event_id } = await webhook.delivery('success')
    const { companyId } = use.tenant.tenant
    const query = [
      `WebhookId = '${webhook.id}'`,
      `CompanyId = '${companyId}'`,
      "EventType = 'contact.created'",
      `EventId = '${event_id}'`,
      "Environment = 'live'",
    ].join(' AND ')
    const found = await until(
      async () => {
        const ids: string[] = []
        for await (const { workflowId } of use.stack.temporal.workflow.list({ query })) ids.push(workflowId)
        return ids
      },
      (ids) => ids.length > 0,
    )
    expect(found).to.deep.equal([id])
    const described = await use.stack.temporal.workflow.getHandle(id).describe()
    expect(await described.staticSummary()).to.equal(`contact.created to ${webhook.id}`)
    expect((await described.staticDetails())?.split('\n')).to.deep.equal([
      `- Company: \`${companyId}\` (live)`,
      `- Webhook: \`${webhook.id}\``,
      `- Event: \`${event_id}\``,
      `- API: \`/api-v1-webhooks/${webhook.id}/deliveries/${id}\``,
    ])
    await untilIs(() => currentDetails(use.stack, id), '**Delivered**')
  })

  // decision: What Temporal shows of a delivery
  it('has the numbers of the API in the summaries of its activities', async () => {
    const fields = { max_retries: 2, retry_schedule: [600] }
    const { webhook, id } = await deliver(use, 'retrying', fields, { failTimes: 1 })
    expect(await currentDetails(use.stack, id)).to.match(/^\*\*Sending\*\*: attempts 1 to 3 of the delivery/)
    await webhook.retry(id)
    await webhook.delivery('success')
    const summaries = (await use.stack.eventsOf(id))
      .filter(({ activityTaskScheduledEventAttributes: activity }) => activity)
      .map(
        ({ userMetadata }) => JSON.parse(Buffer.from(userMetadata?.summary?.data ?? '').toString()) as string,
      )
    expect(summaries).to.deep.equal([
      'send the event: attempts 1 to 3 of the delivery',
      'send the event: attempts 2 to 4 of the delivery',
    ])
    const { attempt_log: log } = await webhook.detail(id)
    expect(log.map(({ number }: Json) => number as number)).to.deep.equal([1, 2])
  })
})
