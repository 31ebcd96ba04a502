import { expect } from 'chai'
import { clientOf } from '../../support/tenants.ts'
import { PUBLISH_LIMIT as LIMIT } from '../../support/shared-stacks.ts'
import { useStack } from '../../support/use-stack.ts'

describe('the quota of published events', function () {
  this.timeout(120_000)
  const use = useStack('quiet')
  const other = useStack('proxied')

  /** Waits for the next minute unless enough of this one is left for the test. */
  async function beginMinute(): Promise<void> {
    const leftMs = 60_000 - (Date.now() % 60_000)
    if (leftMs < 8_000) await new Promise((resolve) => setTimeout(resolve, leftMs))
  }

  // decision: Publish quota
  it('holds for two api processes together: batches, events and records; beyond it they answer 429 to that company alone', async () => {
    await beginMinute()
    const apis = [use.stack.api.url, other.stack.api.url].map((url) => clientOf(url, use.tenant.key))
    const event = { event: 'contact.created', data: { name: 'Ada' } }
    const batch = { events: Array.from({ length: 10 }, () => event) }
    const answers = await Promise.all(
      Array.from({ length: 240 }, (_, index) => {
        const ask = apis[index % 2]!
        if (index % 4 === 0) return ask('POST', '/api-v1-events', batch)
        return index % 4 === 1
          ? ask('POST', '/api-v1-contacts', { name: 'Ada' })
          : ask('POST', '/api-v1-events', event)
      }),
    )
    const [{ events }] = (await use.stack
      .db('events')
      .where({ company_id: use.tenant.tenant.companyId })
      .count({ events: '*' })) as [{ events: number }]
    expect(events)
      .to.be.above(LIMIT / 2)
      .and.at.most(LIMIT)
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([201, 429]))
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.body).to.deep.equal({
      error: { code: 'RATE_LIMITED', message: `The company may publish ${LIMIT} events a minute.` },
    })
    expect(Number(refused.headers.get('retry-after')))
      .to.be.above(0)
      .and.at.most(60)
    const neighbour = await use.stack.tenant()
    expect((await neighbour.request('POST', '/api-v1-events', batch)).status).to.equal(201)
  })
})
