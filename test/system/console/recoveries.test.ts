import { expect } from 'chai'
import { useConsole, verdictOf, type ConsoleClient } from '../../support/console.ts'
import { insertEndedDeliveries, makeWebhook } from '../../support/console-objects.ts'

const SINCE = '2020-01-01T00:00:00Z'

describe('recoveries in the console', () => {
  const its = useConsole()

  /** An inactive webhook, so that its recovery waits. */
  async function inactiveWebhook(client: ConsoleClient): Promise<string> {
    const { id } = await makeWebhook(its, client, { is_active: false })
    await insertEndedDeliveries(its, 3, id)
    return id
  }

  // decision: How many a recovery would bring
  it('tell how many one would bring before it begins', async () => {
    const { client } = await its.person('member')
    const { client: admin } = await its.person()
    const id = await inactiveWebhook(admin)
    const ask = (query: string) => client.call('GET', `/webhooks/${id}/recoverable?${query}`)
    const { data } = (await ask(`since=${SINCE}`)).body
    expect(data).to.include({ recovers: 'failed', total: 3, counted_at_most: 10_000 })
    expect((await ask(`since=${SINCE}&until=2020-01-02T00:00:00Z`)).body.data.total).to.equal(0)
    expect((await ask(`since=${SINCE}&status=missed`)).body.data.total).to.equal(0)
    for (const wrong of [
      '',
      'since=yesterday',
      `since=${SINCE}&status=success`,
      `since=${SINCE}&until=2019-01-01T00:00:00Z`,
    ]) {
      expect(verdictOf(await ask(wrong)), wrong).to.equal('400 VALIDATION_ERROR')
    }
    expect((await client.call('GET', `/webhooks/${id}/recoveries`)).body.data).to.deep.equal([])
  })
})
