import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import { clientOf } from '../../support/tenants.ts'
import { usePart, useStack } from '../../support/use-stack.ts'

const LIMIT = 100

describe('the quota of published events, over HTTP', () => {
  const use = useStack('quiet')
  const limited = usePart(() => use.stack.startApi({ PUBLISH_PER_MINUTE: String(LIMIT) }))

  // decision: Publish quota
  it('holds for batches, events and records together: beyond it they answer 429 until the minute ends', async () => {
    const ask = clientOf(limited().url, use.tenant.key)
    const event = { event: 'contact.created', data: { name: 'Ada' } }
    const batch = { events: Array.from({ length: LIMIT }, () => event) }
    expect((await ask('POST', '/api-v1-events', batch)).status).to.equal(201)
    for (const [path, body] of [
      ['/api-v1-events', batch],
      ['/api-v1-events', event],
      ['/api-v1-contacts', { name: 'Ada' }],
    ] as const) {
      // A new minute may begin here.
      const refused = await until(
        () => ask('POST', path, body),
        ({ status }) => status === 429,
      )
      expect(refused.body).to.deep.equal({
        error: { code: 'RATE_LIMITED', message: `The company may publish ${LIMIT} events a minute.` },
      })
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    }
  })
})
