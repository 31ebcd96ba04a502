import { expect } from 'chai'
import { forgetPassword } from '../../support/console-objects.ts'
import { useConsole, verdictOf, type ConsoleClient } from '../../support/console.ts'
import type { Json } from '../../support/tenants.ts'

describe('webhooks and deliveries in the console', () => {
  const its = useConsole()

  const create = async (client: ConsoleClient, path: string, more: object = {}): Promise<Json> => {
    const url = its.stack.receiver.url(`/${path}`)
    const body = { name: 'Hook', url, events: ['contact.created'], max_retries: 0, ...more }
    const { data } = (await client.call('POST', '/webhooks', body, { 'Idempotency-Key': path })).body
    its.stack.receiver.trust(`/${path}`, data.secret)
    return data
  }

  // decision: One table of routes
  it('are created once by two clicks, tested, and show what came of it', async () => {
    const { client } = await its.person()
    const { id, secret } = await create(client, 'console-test')
    expect((await create(client, 'console-test')).secret).to.equal(secret)
    const { body } = await client.call('POST', `/webhooks/${id}/test`)
    expect(body.data).to.include({ success: true, response_code: 200 })
    const { data } = (await client.call('GET', `/webhooks/${id}/deliveries/${body.data.delivery_id}`)).body
    expect([data.status, data.attempt_log.length]).to.deep.equal(['success', 1])
    const all = (await client.call('GET', '/deliveries?status=success')).body
    expect(all.data.map((delivery: Json) => delivery.id)).to.deep.equal([body.data.delivery_id])
    expect((await client.call('GET', `/webhooks/${id}/stats?window=24h`)).body.data.window).to.equal('24h')
    expect((await client.call('GET', '/events')).body.data).to.have.length(1)
    expect((await client.call('GET', '/event-types')).body.data).to.have.length.above(5)
    expect((await client.request('GET', client.at('/webhooks', 'test'))).body.data).to.deep.equal([])
  })

  it('keep a change that somebody made meanwhile: If-Match with the former version is refused', async () => {
    const { client } = await its.person()
    const { id } = await create(client, 'console-version')
    const { headers } = await client.call('GET', `/webhooks/${id}`)
    const change = (name: string) =>
      client.call('PATCH', `/webhooks/${id}`, { name }, { 'If-Match': headers.get('etag') ?? '' })
    expect(verdictOf(await change('first'))).to.equal('200')
    expect(verdictOf(await change('second'))).to.equal('412 PRECONDITION_FAILED')
    expect((await client.call('GET', `/webhooks/${id}`)).body.data.name).to.equal('first')
    const { body } = await client.call('GET', `/webhooks/${id}/history`)
    expect(body.data.map((entry: Json) => entry.action)).to.deep.equal(['webhook.update', 'webhook.create'])
  })

  // decision: The password once more
  it('get another secret only with the password of the last 10 minutes', async () => {
    const { client, id: userId } = await its.person()
    const { id, secret } = await create(client, 'console-secret')
    const regenerate = () => client.call('POST', `/webhooks/${id}/regenerate-secret`)
    expect((await regenerate()).body.data.secret).to.not.equal(secret)
    await forgetPassword(its, userId)
    expect(verdictOf(await regenerate())).to.equal('403 REAUTHENTICATION_REQUIRED')
  })
})
