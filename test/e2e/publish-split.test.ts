import { expect } from 'chai'
import { startStack, type Stack } from '../support/stack.js'
import type { Json } from '../support/tenants.js'

describe('a publish with very many deliveries', () => {
  let stack: Stack
  before(async () => {
    // No worker: only the rows are looked at.
    stack = await startStack({ workers: 0 })
  })
  after(() => stack.stop())

  it('splits a batch that makes more than 10,000 deliveries and delivers each event once to each webhook', async function () {
    this.timeout(60_000)
    const tenant = await stack.tenant()
    const webhooks = 120
    await Promise.all(
      Array.from({ length: webhooks }, (_, n) =>
        tenant.request('POST', '/api-v1-webhooks', {
          name: 'test',
          url: 'https://example.com/hook',
          events: ['activity.created'],
          is_active: n > 0,
        }),
      ),
    )
    const events = Array.from({ length: 100 }, () => ({ event: 'activity.created', data: {} }))
    const answer = await tenant.request('POST', '/api-v1-events', { events })
    expect(answer.status).to.equal(201)
    expect(answer.body.data.map((item: Json) => item.deliveries)).to.deep.equal(Array(100).fill(webhooks - 1))
    const { companyId } = tenant.tenant
    const rows = (await stack.db('deliveries').where({ company_id: companyId }).count({ count: '*' })) as Json
    expect(Number(rows[0].count)).to.equal(100 * (webhooks - 1))
    const { body } = await tenant.request('GET', '/api-v1-webhooks?limit=100&is_active=true')
    for (const webhook of body.data) expect(webhook.total_deliveries).to.equal(100)
  })
})
