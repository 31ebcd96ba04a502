import { expect } from 'chai'
import { forgetPassword, PASSWORD, useConsole, verdictOf, type ConsoleClient } from '../../support/console.ts'
import { clientOf, type Json } from '../../support/tenants.ts'

const KEY = { name: 'Import', scopes: ['read:all'], type: 'Shared' }

describe('API keys in the console', () => {
  const its = useConsole()

  const create = async (client: ConsoleClient, more: object = {}): Promise<Json> =>
    (await client.call('POST', '/keys', { ...KEY, ...more })).body.data
  const works = async (key: string) =>
    (await clientOf(its.stack.api.url, key)('GET', '/api-v1-webhooks')).status === 200

  it('are shown in clear once, work at once, and name in the audit who made them', async () => {
    const { client, id: userId } = await its.person()
    const made = await client.call('POST', '/keys', { ...KEY, ip_allowlist: '127.0.0.1\n\n10.0.0.5/8' })
    expect(made.status).to.equal(201)
    const { key, id, ...shown } = made.body.data
    expect(await works(key)).to.equal(true)
    const ip_allowlist = ['127.0.0.1', '10.0.0.0/8']
    expect(shown).to.deep.include({ prefix: key.slice(0, 24), user_name: null, ip_allowlist })
    const listed = await client.call('GET', '/keys')
    expect(JSON.stringify(listed.body)).to.not.include(key)
    expect(listed.body.data.map((each: Json) => each.id)).to.deep.equal([id])
    const { body } = await client.call('GET', `/keys/${id}/history`)
    expect(body.data).to.have.length(1)
    const { name } = (await client.session()).body.data.user
    const made_by = { actor: { id: userId, name }, target: { id, name: shown.name }, ip: '127.0.0.1' }
    expect(body.data[0]).to.deep.include({ action: 'key.create', ...made_by })
    expect(body.data[0].details.ip_allowlist).to.deep.equal(ip_allowlist)
  })

  // decision: The password once more
  it('need the password of the last 10 minutes to be made, rotated, revoked and widened', async () => {
    const { client, id: userId } = await its.person()
    const { id } = await create(client, { scopes: ['read:deals'], ip_allowlist: ['10.0.0.1', '10.0.0.2'] })
    await forgetPassword(its, userId)
    const calls = [
      ['POST', '/keys', KEY],
      ['PATCH', `/keys/${id}`, { scopes: ['read:all'] }],
      ['PATCH', `/keys/${id}`, { ip_allowlist: [] }],
      ['PATCH', `/keys/${id}`, { ip_allowlist: '10.0.0.1\n10.0.0.3' }],
      ['POST', `/keys/${id}/rotate`, { grace: '1h' }],
      ['POST', `/keys/${id}/revoke`, {}],
    ] as const
    const needsPassword = '403 REAUTHENTICATION_REQUIRED'
    for (const [method, path, body] of calls)
      expect(await client.verdict(method, path, body), `${method} ${path}`).to.equal(needsPassword)
    const narrower = { name: 'b', ip_allowlist: ['10.0.0.1'], is_active: false }
    expect(await client.verdict('PATCH', `/keys/${id}`, narrower)).to.equal('200')
    expect(await client.verdict('PATCH', `/keys/${id}`, { is_active: true })).to.equal(needsPassword)
    const again = (password: string) =>
      client.request('POST', '/console/api/session/reauthenticate', { password })
    expect(verdictOf(await again('wrong'))).to.equal('401 INVALID_CREDENTIALS')
    expect(new Date((await again(PASSWORD)).body.data.reauthenticated_until)).to.be.above(new Date())
    for (const [method, path, body] of [...calls.slice(1, 4), ...calls.slice(5)])
      expect(await client.verdict(method, path, body), `${method} ${path}`).to.equal('200')
  })

  // decision: Changes of a key at the same time
  it('are not changed by a request that names another version of their settings; using them leaves the version alone', async () => {
    const { client } = await its.person()
    const { id, key, version } = await create(client, {
      scopes: ['read:webhooks'],
      ip_allowlist: ['127.0.0.1', '10.0.0.1'],
    })
    const change = (fields: object, of: string) =>
      client.verdict('PATCH', `/keys/${id}`, fields, { 'If-Match': `"${of}"` })
    const shown = async () => (await client.call('GET', `/keys/${id}`)).body.data
    expect(await works(key)).to.equal(true)
    expect((await shown()).version).to.equal(version)
    expect(await change({ ip_allowlist: ['127.0.0.1'] }, version)).to.equal('200')
    expect(await change({ ip_allowlist: ['127.0.0.1', '10.0.0.1', '10.0.0.2'] }, version)).to.equal(
      '412 PRECONDITION_FAILED',
    )
    expect((await shown()).ip_allowlist).to.deep.equal(['127.0.0.1'])
    expect(await change({ name: 'Other' }, (await shown()).version)).to.equal('200')
  })

  it('name the old key of a rotation as long as it works, however many keys are newer', async () => {
    const { client } = await its.person()
    const old = await create(client)
    const { body } = await client.call('POST', `/keys/${old.id}/rotate`, { grace: '24h' })
    const replaces = { id: old.id, expires_at: body.data.old_expires_at }
    expect(body.data.replaces).to.deep.equal(replaces)
    const shown = async () => (await client.call('GET', `/keys/${body.data.id}`)).body.data.replaces
    const listed = (await client.call('GET', '/keys?limit=1')).body.data
    expect([await shown(), listed[0].replaces]).to.deep.equal([replaces, replaces])
    await client.call('POST', `/keys/${old.id}/revoke`)
    expect(await shown()).to.equal(null)
  })

  it('are listed by cursor, of one environment, by state, type, scope and text', async () => {
    const { client, id: userId } = await its.person()
    const keys: Json[] = []
    for (const more of [
      { name: 'One', scopes: ['read:deals'] },
      { name: 'Two', type: 'Personal' },
      { name: 'Three' },
    ])
      keys.push(await create(client, more))
    await client.request('POST', client.at('/keys', 'test'), KEY)
    await client.call('PATCH', `/keys/${keys[2].id}`, { is_active: false })
    const names = async (query: string) =>
      (await client.call('GET', `/keys?${query}`)).body.data.map(({ name }: Json) => name)
    expect(await names('limit=100')).to.deep.equal(['Three', 'Two', 'One'])
    expect(await names('state=disabled')).to.deep.equal(['Three'])
    expect(await names('type=Personal')).to.deep.equal(['Two'])
    expect(await names('scope=read:deals')).to.deep.equal(['One'])
    expect(await names('q=tW')).to.deep.equal(['Two'])
    expect(await names(`q=${keys[0].prefix}`)).to.deep.equal(['One'])
    const first = (await client.call('GET', '/keys?limit=2')).body
    expect(first.pagination).to.include({ limit: 2, has_more: true })
    expect(await names(`limit=2&cursor=${first.pagination.next_cursor}`)).to.deep.equal(['One'])
    expect(await client.verdict('GET', '/keys?color=red')).to.equal('400 VALIDATION_ERROR')
    const personal = (await client.call('GET', '/keys?type=Personal')).body.data[0]
    const { name } = (await client.session()).body.data.user
    expect([personal.user_id, personal.user_name]).to.deep.equal([userId, name])
    const foreign = await client.request('GET', client.at(`/keys/${keys[0].id}`, 'test'))
    expect(verdictOf(foreign)).to.equal('404 NOT_FOUND')
  })

  it('of a member are Personal, their own, and no wider than an admin allowed', async () => {
    const { client: admin } = await its.person()
    const { client, id: userId } = await its.person('member', { allowedScopes: ['write:deals'] })
    const shared = await create(admin)
    const attempt = (more: object) => client.verdict('POST', '/keys', { ...KEY, type: 'Personal', ...more })
    expect(await attempt({ scopes: ['read:all', 'write:deals'] })).to.equal('201')
    for (const more of [
      ...['write:all', 'admin:all', 'write:contacts'].map((scope) => ({ scopes: ['read:all', scope] })),
      { type: 'Shared' },
      { user_id: (await its.person()).id },
    ])
      expect(await attempt(more), JSON.stringify(more)).to.equal('403 INSUFFICIENT_PERMISSIONS')
    for (const [method, path, body] of [
      ['PATCH', `/keys/${shared.id}`, { name: 'mine' }],
      ['POST', `/keys/${shared.id}/rotate`, { grace: '1h' }],
      ['POST', `/keys/${shared.id}/revoke`, {}],
    ] as const)
      expect(await client.verdict(method, path, body), path).to.equal('403 INSUFFICIENT_PERMISSIONS')
    const own = (await client.call('GET', '/keys?type=Personal')).body.data[0]
    expect(own.user_id).to.equal(userId)
    const refused = '403 INSUFFICIENT_PERMISSIONS'
    expect(await client.verdict('PATCH', `/keys/${own.id}`, { scopes: ['write:all'] })).to.equal(refused)
    expect(await client.verdict('PATCH', `/keys/${own.id}`, { scopes: ['read:deals'] })).to.equal('200')
    expect(await client.verdict('POST', `/keys/${own.id}/rotate`, { grace: '1h' })).to.equal('201')
  })

  it('of a member that an admin made wider are not prolonged or opened by the member', async () => {
    const { client: admin } = await its.person()
    const { client, id: userId } = await its.person('member')
    const rights = { type: 'Personal', user_id: userId, scopes: ['admin:all'], ip_allowlist: ['10.0.0.0/8'] }
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const wide = await create(admin, { ...rights, expires_at })
    const change = (fields: object) => client.verdict('PATCH', `/keys/${wide.id}`, fields)
    for (const wider of [{ expires_at: null }, { ip_allowlist: [] }, { name: 'mine', ip_allowlist: [] }])
      expect(await change(wider), JSON.stringify(wider)).to.equal('403 INSUFFICIENT_PERMISSIONS')
    for (const fields of [{ name: 'mine' }, { is_active: false }, { scopes: ['read:deals'] }])
      expect(await change(fields), JSON.stringify(fields)).to.equal('200')
  })

  it('have an allowlist that can be tried before it is saved, with every line that is wrong', async () => {
    const { client } = await its.person()
    const attempt = async (ip_allowlist: unknown, address: string) =>
      (await client.call('POST', '/allowlist-test', { ip_allowlist, address })).body
    const permitted = { allowed: true, entries: ['10.0.0.0/8'], faults: [] }
    expect((await attempt('10.0.0.0/8', '10.1.2.3')).data).to.deep.equal(permitted)
    expect((await attempt(['10.0.0.0/8'], '11.1.2.3')).data.allowed).to.equal(false)
    const { allowed, faults } = (await attempt('10.0.0.1\n\nfoo', '10.0.0.1')).data
    expect([allowed, faults[0].line, faults[0].text]).to.deep.equal([null, 3, 'foo'])
    expect((await attempt('10.0.0.1', 'home')).error.code).to.equal('VALIDATION_ERROR')
    const saved = await client.call('POST', '/keys', { ...KEY, ip_allowlist: '10.0.0.1\nfoo' })
    expect(saved.body.error.message).to.match(/^Line 2: /)
  })
})
