import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { forgetPassword } from '../../support/console-objects.ts'
import { PASSWORD, useConsole, verdictOf } from '../../support/console.ts'

describe('users in the console', () => {
  const its = useConsole()

  it('are made by an admin and sign in with the password that the admin set', async () => {
    const { client, id } = await its.person()
    const input = { email: `New.${id}@Example.com`, name: 'New', role: 'member', password: PASSWORD }
    const made = await client.call('POST', '/users', { ...input, allowed_scopes: ['write:deals'] })
    expect(made.status).to.equal(201)
    const { id: newId, created_at, ...shown } = made.body.data
    expect(shown).to.deep.equal({
      email: input.email.toLowerCase(),
      name: 'New',
      role: 'member',
      allowed_scopes: ['write:deals'],
      totp_enabled: false,
      totp_locked_at: null,
      is_self: false,
    })
    const theirs = await its.client().signIn(input.email)
    expect(theirs.body.data.user).to.include({ id: newId, role: 'member' })
    expect(theirs.body.data.grantable_scopes).to.include('write:deals').and.not.include('write:contacts')
    expect(await client.verdict('POST', '/users', input)).to.equal('409 CONFLICT')
    for (const password of ['1234567', 'Password123']) {
      const other = { ...input, email: 'other@example.com', password }
      expect(await client.verdict('POST', '/users', other), password).to.equal('400 VALIDATION_ERROR')
    }
    const listed = (await client.call('GET', '/users?limit=1')).body
    expect([listed.data.length, listed.pagination.has_more]).to.deep.equal([1, true])
    expect((await client.call('GET', `/users/${newId}`)).body.data.created_at).to.equal(created_at)
  })

  // decision: The password once more
  it('are made, changed in their rights and removed only with the password of the last 10 minutes', async () => {
    const { client, id } = await its.person()
    const { id: other } = await its.user('member')
    await forgetPassword(its, id)
    const input = { email: 'new@example.com', name: 'New', role: 'member', password: PASSWORD }
    for (const [method, path, body] of [
      ['POST', '/users', input],
      ['PATCH', `/users/${other}`, { role: 'admin' }],
      ['PATCH', `/users/${other}`, { allowed_scopes: ['write:deals'] }],
      ['PATCH', `/users/${other}`, { totp_locked_at: null }],
      ['POST', `/users/${other}/reset-password`, { password: PASSWORD }],
      ['DELETE', `/users/${other}`, undefined],
    ] as const) {
      expect(await client.verdict(method, path, body), `${method} ${path}`).to.equal(
        '403 REAUTHENTICATION_REQUIRED',
      )
    }
    expect(await client.verdict('PATCH', `/users/${other}`, { name: 'Bo' })).to.equal('200')
  })

  // decision: Lower roles
  it('neither remove nor lower themselves, so a company keeps an admin', async () => {
    const { client, id } = await its.person()
    for (const answer of [
      await client.call('DELETE', `/users/${id}`),
      await client.call('PATCH', `/users/${id}`, { role: 'member' }),
      await client.call('POST', `/users/${id}/reset-password`, { password: 'another pass phrase' }),
    ]) {
      expect(verdictOf(answer)).to.equal('400 INVALID_REQUEST')
    }
    expect(await client.verdict('PATCH', `/users/${id}`, { name: 'Ann' })).to.equal('200')
  })

  // decision: A forgotten password
  it('get another password from an admin: their sessions end and the second factor is off', async () => {
    const { client: admin } = await its.person()
    const { client, id, email } = await its.person('member')
    await its.stack.set('users', { id }, { totp_sealed: 'v1.lost', totp_confirmed_at: new Date() })
    const body = { password: 'another pass phrase' }
    const idempotencyKey = { 'Idempotency-Key': `reset-${id}` }
    const reset = await admin.call('POST', `/users/${id}/reset-password`, body, idempotencyKey)
    // A plain hash of the body would be a quick way to guess the password.
    const kept = await its.deps
      .db('idempotency')
      .where({ company_id: its.companyId })
      .pluck<Buffer[]>('fingerprint')
    const plain = createHash('sha256').update(JSON.stringify(body)).digest()
    expect(kept.length).to.be.above(0)
    expect(kept.some((fingerprint) => fingerprint.equals(plain))).to.equal(false)
    expect([verdictOf(reset), reset.body.data.totp_enabled]).to.deep.equal(['200', false])
    expect(await client.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(verdictOf(await its.client().signIn(email))).to.equal('401 INVALID_CREDENTIALS')
    expect(verdictOf(await its.client().signIn(email, 'another pass phrase'))).to.equal('200')
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
    expect([verdictOf(common), common.body.error.message]).to.deep.equal([
      '400 VALIDATION_ERROR',
      '"new_password" is one of the most common passwords: choose another one.',
    ])
    expect(verdictOf(await change(PASSWORD, 'another pass phrase'))).to.equal('200')
    expect(client.cookie('sid')).to.not.equal(former)
    expect(await client.verdict('GET', '/keys')).to.equal('200')
    expect(await other.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(verdictOf(await its.client().signIn(email, 'another pass phrase'))).to.equal('200')
  })
})
