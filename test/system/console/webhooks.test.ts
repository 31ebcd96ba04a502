import { expect } from 'chai'
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
    await its.stack
      .db('console_sessions')
      .where({ user_id: userId })
      .update({ password_at: its.stack.db.raw('password_at - INTERVAL 11 MINUTE') })
    expect(verdictOf(await regenerate())).to.equal('403 REAUTHENTICATION_REQUIRED')
  })

  it('are read, tested and retried by a member, and changed by an admin alone', async () => {
    const { client: admin } = await its.person()
    const { client } = await its.person('member')
    const { id } = await create(admin, 'console-member')
    const { body } = await client.call('POST', `/webhooks/${id}/test`)
    const retry = await client.call('POST', `/webhooks/${id}/deliveries/${body.data.delivery_id}/retry`)
    expect(verdictOf(retry)).to.equal('400 INVALID_REQUEST')
    for (const [method, path, sent] of [
      ['POST', '/webhooks', {}],
      ['PATCH', `/webhooks/${id}`, { name: 'x' }],
      ['DELETE', `/webhooks/${id}`, undefined],
      ['POST', `/webhooks/${id}/regenerate-secret`, undefined],
    ] as const) {
      const answer = await client.call(method, path, sent)
      expect(verdictOf(answer), `${method} ${path}`).to.equal('403 INSUFFICIENT_PERMISSIONS')
    }
    expect(verdictOf(await admin.call('DELETE', `/webhooks/${id}`))).to.equal('200')
    expect(verdictOf(await client.call('GET', `/webhooks/${id}`))).to.equal('404 NOT_FOUND')
  })
})
