import { expect } from 'chai'
import type { ConsoleClient } from '../../support/console.ts'
import { forgetPassword, makeKey, PASSWORD, useConsole, verdictOf } from '../../support/console.ts'
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

  // decision: The password once more
  it('are created, and get another URL or secret, only with the password of the last 10 minutes, as channels do', async () => {
    const { client, id: userId } = await its.person()
    const { id, url, secret } = await create(client, 'console-url')
    const regenerate = () => client.call('POST', `/webhooks/${id}/regenerate-secret`)
    expect((await regenerate()).body.data.secret).to.not.equal(secret)
    const channel = { kind: 'slack', target: its.stack.receiver.url('/slack') }
    const { id: channelId } = (await client.call('POST', '/channels', channel)).body.data
    const changeChannel = (fields: object, version: number) =>
      client.verdict('PATCH', `/channels/${channelId}`, fields, { 'If-Match': `"${version}"` })
    await forgetPassword(its, userId)
    const body = { name: 'Hook', url, events: ['contact.created'] }
    const change = (fields: object) => client.verdict('PATCH', `/webhooks/${id}`, fields)
    const needsPassword = '403 REAUTHENTICATION_REQUIRED'
    expect(await client.verdict('POST', '/webhooks', body)).to.equal(needsPassword)
    expect(verdictOf(await regenerate())).to.equal(needsPassword)
    expect(await change({ name: 'Other', url: `${url}/elsewhere` })).to.equal(needsPassword)
    expect(await change({ name: 'Other', url })).to.equal('200')
    const moved = { ...channel, kind: undefined, target: `${channel.target}/elsewhere` }
    expect(await changeChannel(moved, 1)).to.equal(needsPassword)
    const settings = { name: 'On call', pause_seconds: 60, is_active: false, target: channel.target }
    expect(await changeChannel(settings, 1)).to.equal('200')
    expect(await changeChannel({ name: 'Overwritten' }, 1)).to.equal('412 PRECONDITION_FAILED')
    await client.request('POST', '/console/api/session/reauthenticate', { password: PASSWORD })
    expect(await change({ url: `${url}/elsewhere` })).to.equal('200')
    expect(await changeChannel(moved, 2)).to.equal('200')
  })

  describe('with custom headers', () => {
    const headers = { Authorization: 'Bearer of-the-customer', 'x-a': 'b' }
    const hidden = { Authorization: null, 'x-a': null }

    // decision: Values of custom headers
    it('show no value of them in any answer, to members and admins alike', async () => {
      const { client } = await its.person()
      const created = await create(client, 'console-headers', { headers })
      expect(created.headers).to.deep.equal(hidden)
      expect((await create(client, 'console-headers', { headers })).headers).to.deep.equal(hidden)
      await its.stack.set('webhooks', { id: created.id }, { deactivated_reason: 'gone', is_active: 0 })
      const { client: member } = await its.person('member')
      const answers = [await client.call('PATCH', `/webhooks/${created.id}`, { name: 'Other', headers })]
      for (const path of ['/webhooks', `/webhooks/${created.id}`, '/attention'])
        answers.push(await client.call('GET', path), await member.call('GET', path))
      for (const { body } of answers) {
        expect(JSON.stringify(body)).to.include('"headers":{"Authorization":null,"x-a":null}')
        expect(JSON.stringify(body)).to.not.include('of-the-customer')
      }
      const key = await makeKey(its)
      const { data } = (await key.request('GET', `/api-v1-webhooks/${created.id}`)).body
      expect(data.headers).to.deep.equal(headers)
    })

    // decision: Values of custom headers
    it('are shown to an admin who gave the password, which the history tells', async () => {
      const { client, id: userId } = await its.person()
      const { client: member } = await its.person('member')
      const { id } = await create(client, 'console-reveal', { headers })
      const reveal = (by: ConsoleClient) => by.call('POST', `/webhooks/${id}/headers/reveal`)
      expect((await reveal(client)).body.data).to.deep.equal({ id, headers })
      expect(verdictOf(await reveal(member))).to.equal('403 INSUFFICIENT_PERMISSIONS')
      await forgetPassword(its, userId)
      expect(verdictOf(await reveal(client))).to.equal('403 REAUTHENTICATION_REQUIRED')
      const { data } = (await client.call('GET', `/webhooks/${id}/history`)).body
      expect(data.map((entry: Json) => [entry.action, entry.actor.id])).to.deep.equal([
        ['webhook.reveal_headers', userId],
        ['webhook.create', userId],
      ])
    })

    // decision: Values of custom headers
    it('keep a hidden value that a change sends back as null, and refuse null for a new name', async () => {
      const { client } = await its.person()
      const { id } = await create(client, 'console-keep', { headers })
      const change = async (given: object) => client.call('PATCH', `/webhooks/${id}`, { headers: given })
      const revealed = async () =>
        (await client.call('POST', `/webhooks/${id}/headers/reveal`)).body.data.headers
      const before = (await client.call('GET', `/webhooks/${id}`)).headers.get('etag')
      expect((await change(hidden)).headers.get('etag')).to.equal(before)
      const changed = await change({ Authorization: null, 'x-new': 'c' })
      expect(changed.body.data.headers).to.have.keys('Authorization', 'x-new')
      expect(await revealed()).to.deep.equal({ Authorization: headers.Authorization, 'x-new': 'c' })
      for (const wrong of [{ 'x-a': null }, { authorization: null }, { constructor: null }, { 'x-b': 1 }])
        expect(verdictOf(await change(wrong)), JSON.stringify(wrong)).to.equal('400 VALIDATION_ERROR')
      const fresh = { name: 'a', url: 'https://example.com/', events: ['contact.created'] }
      const given = { ...fresh, headers: { 'x-a': null } }
      expect(await client.verdict('POST', '/webhooks', given)).to.equal('400 VALIDATION_ERROR')
    })
  })
})
