import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../src/domain/ids.ts'
import type { Json } from '../../support/tenants.ts'
import { forgetPassword, make, tokenOf, PASSWORD, useConsole, verdictOf } from '../../support/console.ts'

describe('users in the console', () => {
  const its = useConsole()

  // decision: Invitations
  it('are invited by a link, with which they choose name and password, once and with their own email', async () => {
    const { client } = await its.person()
    const email = `New.${client.companyId}@Example.com`
    const wanted = { email, role: 'member', allowed_scopes: ['write:deals'] }
    const invited = await client.call('POST', '/invitations', wanted)
    expect([invited.status, invited.body.data.email]).to.deep.equal([201, email.toLowerCase()])
    const link: string = invited.body.data.link
    const token = tokenOf(link)
    expect(link).to.match(/\/console\/join#[\w-]{43}$/)
    expect(await client.verdict('POST', '/invitations', wanted)).to.equal('409 CONFLICT')
    const listed = (await client.call('GET', '/invitations')).body.data
    expect(listed).to.have.length(1)
    expect(listed[0]).to.deep.include({ role: 'member', is_expired: false, mail: null })
    expect(JSON.stringify([listed, await its.deps.db('access_links').select()])).to.not.include(token)

    const guest = its.client()
    await guest.session()
    const send = (path: string, body: object) => guest.request('POST', `/console/api/link${path}`, body)
    const use = (more: object = {}) =>
      send('/use', { token, email, name: 'Ada', password: PASSWORD, ...more })
    const told = { kind: 'invitation', company_name: 'Test company', email: 'n…@example.com' }
    expect((await send('', { token })).body.data).to.deep.include(told)
    expect(verdictOf(await send('', { token: 'x'.repeat(43) }))).to.equal('404 NOT_FOUND')
    const forwarded = await use({ email: 'eve@example.com' })
    expect(verdictOf(forwarded)).to.equal('401 INVALID_CREDENTIALS')
    expect(forwarded.body.error.message).to.match(/made for another email address. If it was forwarded/)
    for (const wrong of [{ password: '1234567' }, { password: 'Password123' }, { name: ' ' }])
      expect(verdictOf(await use(wrong)), JSON.stringify(wrong)).to.equal('400 VALIDATION_ERROR')
    const answers = await Promise.all([use(), use()])
    expect(answers.map(verdictOf).sort()).to.deep.equal(['200', '400 INVALID_REQUEST'])
    const joined = answers.find(({ status }) => status === 200)!.body.data
    expect(joined.user).to.deep.include({ email: email.toLowerCase(), name: 'Ada', role: 'member' })
    expect(joined.grantable_scopes).to.include('write:deals').and.not.include('write:contacts')
    const again = await send('', { token })
    expect(again.body.error.message).to.match(/^This link was used already/)
    expect((await its.client().signIn(email)).body.data.user.id).to.equal(joined.user.id)
    expect((await client.call('GET', '/invitations')).body.data).to.deep.equal([])
    expect(await client.verdict('POST', '/invitations', wanted)).to.equal('409 CONFLICT')
    const [entry] = (await client.call('GET', `/audit?target=${joined.user.id}&action=invitation.accept`))
      .body.data
    expect(entry.summary).to.match(/^Ada accepted an invitation: invitation lnk_.*, role member$/)
  })

  // decision: Invitations
  it('whose invitation expired, was withdrawn, or was sent again, are told so; 5 wrong emails make them wait', async () => {
    const { client, id } = await its.person()
    const guest = its.client()
    await guest.session()
    const show = async (link: string) => {
      const answer = await guest.request('POST', '/console/api/link', { token: tokenOf(link) })
      return answer.status === 200 ? 'open' : (answer.body.error.message as string)
    }
    const invite = async (email: string) => {
      const { data } = (await client.call('POST', '/invitations', { email, role: 'admin' })).body
      return data as { id: string; link: string }
    }
    const [a, b, c] = [await invite('a@x.com'), await invite('b@x.com'), await invite('c@x.com')]
    const sentAgain: { link: string } = (await client.call('POST', `/invitations/${a.id}/resend`)).body.data
    expect(await show(a.link)).to.match(/^A newer link was made/)
    expect(await show(sentAgain.link)).to.equal('open')
    expect(await client.verdict('POST', `/invitations/${a.id}/resend`)).to.equal('404 NOT_FOUND')
    expect(await client.verdict('DELETE', `/invitations/${b.id}`)).to.equal('200')
    expect(await show(b.link)).to.match(/^This link was withdrawn/)
    await its.stack.set('access_links', { id: c.id }, { expires_at: new Date(Date.now() - 1_000) })
    expect(await show(c.link)).to.match(/^This link has expired/)
    expect(
      (await client.call('GET', '/invitations')).body.data.map((each: Json) => each.is_expired),
    ).to.have.members([true, false])
    // An expired invitation blocks nobody.
    expect(await invite('c@x.com')).to.have.property('link')

    const token = tokenOf(sentAgain.link)
    const tries: string[] = []
    for (let guess = 0; guess < 6; guess++) {
      const input = { token, email: `${guess}@x.com`, name: 'Eve', password: PASSWORD }
      tries.push(verdictOf(await guest.request('POST', '/console/api/link/use', input)))
    }
    expect([tries[0], tries[5]]).to.deep.equal(['401 INVALID_CREDENTIALS', '429 RATE_LIMITED'])

    // A removed user, or a former admin, must have no way back in.
    const { client: other } = await its.person()
    expect(await other.verdict('DELETE', `/users/${id}`)).to.equal('200')
    expect(await show(sentAgain.link)).to.match(/^This link was withdrawn/)
  })

  // decision: Invitations
  it('can be invited 100 at once, and 100 times an hour', async () => {
    const { client } = await its.person()
    const { id: first } = await make(client, '/invitations', { email: 'x@x.com', role: 'member' })
    const row = (await its.deps.db('access_links').where({ id: first }).first()) as object
    const rows = Array.from({ length: 99 }, (_, n) => ({
      ...row,
      id: newId('accessLink'),
      email: `x${n}@x.com`,
      token_hash: createHash('sha256').update(`${first} ${n}`).digest(),
    }))
    await its.deps.db('access_links').insert(rows)
    const refused = await client.call('POST', '/invitations', { email: 'y@x.com', role: 'member' })
    expect(verdictOf(refused)).to.equal('409 CONFLICT')
    expect(refused.body.error.message).to.match(/^A company may have 100 open invitations: withdraw some/)
    expect(await client.verdict('POST', `/invitations/${first}/resend`)).to.equal('429 RATE_LIMITED')
  })

  // decision: The password once more
  it('are made, changed in their rights and removed only with the password of the last 10 minutes', async () => {
    const { client, id } = await its.person()
    const { id: other } = await its.user('member')
    await forgetPassword(its, id)
    for (const [method, path, body] of [
      ['POST', '/invitations', { email: 'new@example.com', role: 'member' }],
      ['POST', `/invitations/${newId('accessLink')}/resend`, undefined],
      ['PATCH', '/company', { second_factor_required: true }],
      ['PATCH', `/users/${other}`, { role: 'admin' }],
      ['PATCH', `/users/${other}`, { allowed_scopes: ['write:deals'] }],
      ['PATCH', `/users/${other}`, { totp_locked_at: null }],
      ['POST', `/users/${other}/reset-password`, undefined],
      ['DELETE', `/users/${other}`, undefined],
    ] as const)
      expect(await client.verdict(method, path, body), `${method} ${path}`).to.equal(
        '403 REAUTHENTICATION_REQUIRED',
      )
    expect(await client.verdict('PATCH', `/users/${other}`, { name: 'Bo' })).to.equal('200')
  })

  // decision: Lower roles
  it('neither remove nor lower themselves, so a company keeps an admin', async () => {
    const { client, id } = await its.person()
    for (const answer of [
      await client.call('DELETE', `/users/${id}`),
      await client.call('PATCH', `/users/${id}`, { role: 'member' }),
      await client.call('POST', `/users/${id}/reset-password`),
    ])
      expect(verdictOf(answer)).to.equal('400 INVALID_REQUEST')
    expect(await client.verdict('PATCH', `/users/${id}`, { name: 'Ann' })).to.equal('200')
  })

  // decision: A forgotten password
  it('get a link for another password from an admin: their sessions end, the second factor and the old one are off', async () => {
    const { client: admin } = await its.person()
    const { client, id, email } = await its.person('member')
    await its.stack.set('users', { id }, { totp_sealed: 'v1.lost', totp_confirmed_at: new Date() })
    const reset = async () => (await make(admin, `/users/${id}/reset-password`, {})) as { link: string }
    const [former, { link }] = [await reset(), await reset()]
    expect(await client.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(verdictOf(await its.client().signIn(email))).to.equal('401 INVALID_CREDENTIALS')
    const use = (from: string) => {
      const input = { token: tokenOf(from), email, password: 'another pass phrase' }
      return client.request('POST', '/console/api/link/use', input)
    }
    await client.session()
    expect(verdictOf(await use(former.link))).to.equal('400 INVALID_REQUEST')
    const answer = await use(link)
    expect([verdictOf(answer), answer.body.data.user.totp_enabled]).to.deep.equal(['200', false])
    expect(verdictOf(await its.client().signIn(email, 'another pass phrase'))).to.equal('200')
  })

  // decision: Sessions of the console
  it('see where they are signed in, and end one session or all others', async () => {
    const { client, email, id } = await its.person('member')
    const others = [its.client(), its.client(), its.client()]
    for (const other of others) await other.signIn(email)
    const agent = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
    await its.deps.db('console_sessions').where({ user_id: id }).update({ user_agent: agent })
    const list = async () =>
      (await client.request('GET', '/console/api/sessions')).body.data.sessions as Json[]
    const found = await list()
    expect(found).to.have.length(4)
    expect(found.filter((each) => each.is_current)).to.have.length(1)
    expect(found[0]).to.include({ ip: '127.0.0.1', browser: 'Firefox on Windows' })
    const { client: stranger } = await its.person()
    const end = async (by: typeof client, sessionId: string) =>
      verdictOf(await by.request('DELETE', `/console/api/sessions/${sessionId}`))
    const victim: string = found.find((each) => !each.is_current)!.id
    const own: string = found.find((each) => each.is_current)!.id
    expect(await end(stranger, victim)).to.equal('404 NOT_FOUND')
    expect(await end(client, own)).to.equal('400 INVALID_REQUEST')
    expect(await end(client, victim)).to.equal('200')
    expect(await end(client, victim)).to.equal('404 NOT_FOUND')
    expect(await list()).to.have.length(3)
    const { body } = await client.request('DELETE', '/console/api/sessions')
    expect(body.data.ended).to.equal(2)
    for (const other of others) expect(await other.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(await client.verdict('GET', '/keys')).to.equal('200')
  })

  it('change their own password with the present one: every other session ends', async () => {
    const { client, email } = await its.person('member')
    const other = its.client()
    await other.signIn(email)
    const former = client.cookie('sid')
    const change = (current_password: string, new_password: string) =>
      client.request('PUT', '/console/api/password', { current_password, new_password })
    expect(verdictOf(await change('wrong', 'another pass phrase'))).to.equal('401 INVALID_CREDENTIALS')
    const common = await change(PASSWORD, 'password123')
    expect(verdictOf(common)).to.equal('400 VALIDATION_ERROR')
    expect(common.body.error.message).to.match(/^"new_password" is one of the most common passwords: choose/)
    expect(verdictOf(await change(PASSWORD, 'another pass phrase'))).to.equal('200')
    expect(client.cookie('sid')).to.not.equal(former)
    expect(await client.verdict('GET', '/keys')).to.equal('200')
    expect(await other.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(verdictOf(await its.client().signIn(email, 'another pass phrase'))).to.equal('200')
  })
})
