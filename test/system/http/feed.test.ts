import { mock } from 'node:test'
import { expect } from 'chai'
import { kill } from '../../support/crashes.ts'
import { until, untilSo, untilThere } from '../../support/poll.ts'
import { createTestTenant, verdictOf, type Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

const FEED = '/api-v1-events/feed'
const EVENT = { event: 'contact.created', data: {} }

describe('GET /api-v1-events/feed', function () {
  this.timeout(60_000)
  const use = useStack()
  afterEach(() => mock.timers.reset())

  /** This skips the check against the description, because the api may be gone when the test reads the answer. */
  async function waitAt(url: string): Promise<Json> {
    const headers = { authorization: `Bearer ${use.tenant.key}` }
    const response = await fetch(`${url}${FEED}?after=end&wait=30`, { headers })
    return { status: response.status, ...((await response.json()) as object) }
  }
  /** Waits until `count` apis have reported that clients wait there. */
  const untilKnown = (apis: number) =>
    untilThere(() => use.stack.db('feed_listeners').pluck<string[]>('address'), apis)
  const publish = () => use.tenant.request('POST', '/api-v1-events', EVENT)

  // decision: Waiting readers
  it('is answered by another api than the one that publishes, sooner than by its look of every second', async () => {
    const other = await use.stack.startApi()
    // The timer never fires, because its clock stands still.
    mock.timers.enable({ apis: ['setInterval'] })
    let isAnswered = false
    const answer = waitAt(other.url).finally(() => (isAnswered = true))
    await untilKnown(1)
    // The first rings may come before the api waits, or before the publisher knows of it.
    await until(publish, () => isAnswered)
    expect((await answer).data).to.not.deep.equal([])
    await other.stop()
    await untilKnown(0)
  })

  // decision: Waiting readers
  it('answers at once when its api stops, and goes on at another one when it was killed', async () => {
    const [stopping, dying] = await Promise.all([use.stack.startApi(), use.stack.spawnApi()])
    const [stopped, killed] = [waitAt(stopping.url), waitAt(dying.url).catch(() => 'cut')]
    await untilKnown(2)
    await Promise.all([stopping.stop(), kill(dying)])
    const { status, data, pagination } = await stopped
    expect([status, data, await killed]).to.deep.equal([200, [], 'cut'])
    await publish()
    const next = await use.tenant.request('GET', `${FEED}?after=${pagination.next_cursor}`)
    expect(next.body.data).to.have.length(1)
  })

  // decision: Waiting readers
  it('gives nothing to a key that lost the scope or was revoked while it waited', async () => {
    const losses = {
      '403 INSUFFICIENT_PERMISSIONS': { scopes: JSON.stringify(['read:contacts']) },
      '401 API_KEY_REVOKED': { revoked_at: new Date() },
    }
    for (const [verdict, loss] of Object.entries(losses)) {
      const { companyId } = use.tenant.tenant
      const reader = await createTestTenant(use.stack.db, use.stack.api.url, { companyId })
      const answer = reader.request('GET', `${FEED}?after=end&wait=30`)
      const requests = () =>
        use.stack.db('api_keys').where({ id: reader.keyId }).pluck<number[]>('request_count')
      // The api writes the key's use some time after it accepts the request.
      await untilSo(async () => (await requests())[0] === 1)
      await use.stack.set('api_keys', { id: reader.keyId }, loss)
      let isAnswered = false
      void answer.finally(() => (isAnswered = true))
      await until(publish, () => isAnswered)
      expect(verdictOf(await answer)).to.equal(verdict)
    }
  })

  // decision: Cursors of the feed
  it('refuses what is no cursor, wait or type', async () => {
    const wrong = words('after=x wait=31 wait=1.5 types=none cursor=x limit=101')
    for (const query of [...wrong, `after=${'a'.repeat(300)}`]) {
      const refused = await use.tenant.request('GET', `${FEED}?${query}`)
      expect(verdictOf(refused), query).to.equal('400 VALIDATION_ERROR')
    }
  })
})
