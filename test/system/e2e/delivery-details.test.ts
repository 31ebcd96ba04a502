import { expect } from 'chai'
import { currentDetails } from '../../support/current-details.ts'
import { until } from '../../support/poll.ts'
import { createTestTenant, type Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

describe('what a delivery shows and which settings it follows', () => {
  const use = useStack()

  const patch = (webhook: TestWebhook, body: object) =>
    use.tenant.request('PATCH', `/api-v1-webhooks/${webhook.id}`, body)

  // decision: Fields
  it('is pending, with nothing of an answer, until its first attempt is over', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    use.stack.receiver.behave(webhook.path, { delayMs: 500 })
    await createContact(use.tenant)
    await use.stack.receiver.next(webhook.path)
    const [pending] = await webhook.deliveries('?status=pending')
    expect(pending).to.include({ status: 'pending', attempts: 0, max_attempts: 6, next_retry_at: null })
    expect(pending).to.include({ response_code: null, response_body: null, request_duration_ms: null })
    expect(pending).to.not.have.any.keys('delivered_at', 'payload')
    await webhook.delivery('success')
  })

  // decision: Payloads of all families
  it('shows payloads of every family to a key that reads webhooks alone', async () => {
    const events = ['contact.created', 'deal.created']
    const webhook = await createTestWebhook(use.stack, use.tenant, { events })
    await createContact(use.tenant)
    await use.tenant.request('POST', '/api-v1-deals', { name: 'Example Deal' })
    await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 2)
    const { companyId } = use.tenant.tenant
    const scopes = ['read:webhooks'] as never
    const reader = await createTestTenant(use.stack.db, use.stack.api.url, { companyId, scopes })
    const { body } = await reader.request('GET', `/api-v1-webhooks/${webhook.id}/deliveries`)
    const names = body.data.map(({ payload }: Json) => payload.data.name as string)
    expect(names).to.have.members(['Ada Lovelace', 'Example Deal'])
    expect((await reader.request('GET', '/api-v1-deals')).status).to.equal(403)
  })

  it('is listed newest first, page by page, with the pagination object', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    for (const name of ['a', 'b', 'c']) await createContact(use.tenant, name)
    await until(webhook.get, ({ successful_deliveries }) => successful_deliveries === 3)
    const page = async (query: string) =>
      (await use.tenant.request('GET', `/api-v1-webhooks/${webhook.id}/deliveries?${query}`)).body
    const names = ({ data }: Json) => data.map(({ payload }: Json) => payload.data.name)
    const [first, second] = [await page('limit=2'), await page('limit=2&page=2')]
    expect([names(first), names(second)]).to.deep.equal([['c', 'b'], ['a']])
    expect(first.pagination).to.deep.equal({ total: 3, limit: 2, page: 1, has_more: true })
    expect(second.pagination).to.deep.equal({ total: 3, limit: 2, page: 2, has_more: false })
    for (const query of ['limit=0', 'limit=101', 'page=0', 'since=1']) {
      expect((await page(query)).error.code, query).to.equal('VALIDATION_ERROR')
    }
  })

  it('keeps its max_attempts, and uses the URL and headers that the webhook has at each attempt', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [1], max_retries: 3 })
    use.stack.receiver.behave(webhook.path, { status: 500 })
    await createContact(use.tenant)
    await webhook.delivery('retrying')
    const moved = `${webhook.path}-moved`
    use.stack.receiver.trust(moved, webhook.secret)
    await patch(webhook, { url: use.stack.receiver.url(moved), headers: { 'X-New': 'yes' }, max_retries: 0 })
    const request = await use.stack.receiver.next(moved)
    expect(request.headers['x-new']).to.equal('yes')
    expect(await webhook.delivery('success')).to.include({ max_attempts: 4 })
  })

  it('is made for the types that the webhook subscribes to at that moment', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await patch(webhook, { events: ['task.created'] })
    await createContact(use.tenant)
    await use.tenant.request('POST', '/api-v1-tasks', { name: 'a task' })
    expect(await webhook.delivery('success')).to.include({ event_type: 'task.created' })
    expect((await webhook.get()).total_deliveries).to.equal(1)
  })

  for (const status of [429, 502, 503, 504]) {
    it(`waits as long as Retry-After asks with ${status}`, async () => {
      const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [5] })
      use.stack.receiver.behave(webhook.path, { status, headers: { 'retry-after': '120' } })
      await createContact(use.tenant)
      const waiting = await webhook.delivery('retrying')
      const [request] = use.stack.receiver.requestsTo(webhook.path)
      const delayMs = Date.parse(waiting.next_retry_at) - request!.receivedAt.getTime()
      expect(delayMs).to.be.within(119_000, 125_000)
    })
  }

  it('follows the schedule with every other status, whatever Retry-After says', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { retry_schedule: [20] })
    use.stack.receiver.behave(webhook.path, { status: 500, headers: { 'retry-after': '600' } })
    await createContact(use.tenant)
    const waiting = await webhook.delivery('retrying')
    expect(Date.parse(waiting.next_retry_at) - Date.now()).to.be.below(22_000)
  })

  it('shows 16 KiB of a long answer, cut between characters', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    use.stack.receiver.behave(webhook.path, { body: `x${'é'.repeat(10_000)}` })
    await createContact(use.tenant)
    const { response_body } = await webhook.delivery('success')
    expect(response_body).to.match(/^xé+$/)
    expect(Buffer.byteLength(response_body as string)).to.be.within(16_380, 16_384)
  })

  async function workflowIds(query: string): Promise<string[]> {
    const ids: string[] = []
    for await (const { workflowId } of use.stack.temporal.workflow.list({ query })) ids.push(workflowId)
    return ids
  }

  it('is found in Temporal by webhook, company, type, event and environment', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id, event_id } = await webhook.delivery('success')
    const query = [
      `WebhookId = '${webhook.id}'`,
      `CompanyId = '${use.tenant.tenant.companyId}'`,
      "EventType = 'contact.created'",
      `EventId = '${event_id}'`,
      "Environment = 'live'",
    ].join(' AND ')
    const found = await until(
      () => workflowIds(query),
      (ids) => ids.length > 0,
    )
    expect(found).to.deep.equal([id])
  })

  // decision: What Temporal shows of a delivery
  it('says in Temporal what it is, whose, and where the API shows it', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    const { id, event_id } = await webhook.delivery('success')
    const described = await use.stack.temporal.workflow.getHandle(id).describe()
    expect(await described.staticSummary()).to.equal(`contact.created to ${webhook.id}`)
    expect((await described.staticDetails())?.split('\n')).to.deep.equal([
      `- Company: \`${use.tenant.tenant.companyId}\` (live)`,
      `- Webhook: \`${webhook.id}\``,
      `- Event: \`${event_id as string}\``,
      `- API: \`/api-v1-webhooks/${webhook.id}/deliveries/${id as string}\``,
    ])
    await until(
      () => currentDetails(use.stack, id as string),
      (details) => details === '**Delivered**',
    )
  })

  // decision: What Temporal shows of a delivery
  it('has the numbers of the API in the summaries of its activities', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant, { max_retries: 2, retry_schedule: [600] })
    use.stack.receiver.behave(webhook.path, { failTimes: 1, status: 503 })
    await createContact(use.tenant)
    const { id } = await webhook.delivery('retrying')
    expect(await currentDetails(use.stack, id as string)).to.match(
      /^\*\*Sending\*\*: attempts 1 to 3 of the delivery/,
    )
    await use.tenant.request('POST', `/api-v1-webhooks/${webhook.id}/deliveries/${id}/retry`)
    await webhook.delivery('success')
    const { events } = await use.stack.temporal.workflow.getHandle(id).fetchHistory()
    const summaries = (events ?? [])
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
