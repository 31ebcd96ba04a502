import { expect } from 'chai'
import { useConsole, verdictOf, type ConsoleClient } from '../../support/console.ts'
import { insertEndedDeliveries, makeWebhook } from '../../support/console-objects.ts'
import type { Json } from '../../support/tenants.ts'

const SINCE = '2020-01-01T00:00:00Z'

describe('recoveries in the console', () => {
  const its = useConsole()

  /** An inactive webhook, so that its recovery waits. */
  async function inactiveWebhook(client: ConsoleClient): Promise<string> {
    const { id } = await makeWebhook(its, client, { is_active: false })
    await insertEndedDeliveries(its, 3, id)
    return id
  }
  const recover = (client: ConsoleClient, id: string, body: object = { since: SINCE }) =>
    client.call('POST', `/webhooks/${id}/recover`, body)

  // decision: Roles
  it('are begun, watched and stopped by a member, whom the list names', async () => {
    const { client: admin } = await its.person()
    const { client, id: userId } = await its.person('member')
    const id = await inactiveWebhook(admin)
    const begun = await recover(client, id)
    expect([begun.status, begun.body.data.total]).to.deep.equal([202, 3])
    const path = `/webhooks/${id}/recoveries`
    const recoveryId = begun.body.data.id as string
    expect((await admin.call('GET', `${path}/${recoveryId}`)).body.data.status).to.equal('queued')
    const again = await recover(admin, id)
    expect(verdictOf(again)).to.equal('409 CONFLICT')
    expect(again.body.error.message).to.include(recoveryId)
    const stopped = await client.call('DELETE', `${path}/${recoveryId}`)
    expect([stopped.status, stopped.body.data.stopped_reason]).to.deep.equal([200, 'requested'])
    const { data } = (await admin.call('GET', path)).body
    expect(data.map((one: Json) => [one.id, one.started_by.id])).to.deep.equal([[recoveryId, userId]])
    expect(data[0].started_by.name).to.match(/^Person/)
  })

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
