import { hash } from '@node-rs/argon2'
import { expect } from 'chai'
import { createCompany } from '../../../src/operations/companies.ts'
import { createUser } from '../../../src/operations/user/members.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { hashToken } from '../../../src/domain/user/session.ts'
import { ConsoleClient, PASSWORD, useConsole, verdictOf } from '../../support/console.ts'
import { words } from '../../support/words.ts'

const SESSION = '/console/api/session'

describe('the session of the console', () => {
  const its = useConsole()

  const rowsOf = (userId: string) => its.stack.db('console_sessions').where({ user_id: userId })
  const moveBack = (userId: string, column: string, seconds: number) =>
    rowsOf(userId).update({ [column]: its.stack.db.raw('?? - INTERVAL ? SECOND', [column, seconds]) })

  // decision: Sessions of the console
  it('begins with the right password, and its id is stored as a hash only', async () => {
    const { id, email } = await its.user('admin')
    const client = its.client()
    const { status, body, headers } = await client.signIn(email)
    const { state, user, company } = body.data
    expect([status, state, user.id, company.id]).to.deep.equal([200, 'signed_in', id, its.companyId])
    expect(body.data).to.have.all.keys(
      words(`state csrf_token address user company environments permissions
        grantable_scopes reauthenticated_until expires_at idle_expires_at settings second_factor_missing`),
    )
    expect(body.data.address).to.equal('127.0.0.1')
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(headers.get('access-control-allow-origin')).to.equal(null)
    const [row] = (await rowsOf(id)) as { id_hash: Buffer }[]
    expect(row?.id_hash.equals(hashToken(client.cookie('sid') ?? ''))).to.equal(true)
    const audit = (await its.stack.db('audit').where({ actor: id })) as { action: string; ip: string }[]
    expect(audit.map(({ action, ip }) => [action, ip])).to.deep.equal([['session.start', '127.0.0.1']])
  })

  it('does not begin with a wrong password or an unknown email: both get the same answer', async () => {
    const { email } = await its.user()
    const wrong = await its.client().signIn(email, 'wrong horse battery')
    const unknown = await its.client().signIn('nobody@example.com', 'wrong horse battery')
    const foreign = await its.client().signIn(email, PASSWORD, { company_id: 'com_1' })
    expect(verdictOf(wrong)).to.equal('401 INVALID_CREDENTIALS')
    for (const answer of [unknown, foreign]) expect(answer.body).to.deep.equal(wrong.body)
  })

  it('gets a new id at each sign-in, whatever id the browser has, and the former one is over', async () => {
    const { client, email, id } = await its.person()
    const former = client.cookie('sid')
    await client.signIn(email)
    expect(client.cookie('sid')).to.not.equal(former)
    expect(await rowsOf(id)).to.have.length(1)
    client.setCookie('sid', 'a'.repeat(43))
    await client.signIn(email)
    expect(client.cookie('sid')).to.not.equal('a'.repeat(43))
  })

  // decision: Sessions of the console
  it('ends after 12 hours without use and after 7 days, by the clock of the database', async () => {
    for (const [column, seconds] of [
      ['seen_at', 12 * 3_600 - 60],
      ['expires_at', 7 * 86_400 - 60],
    ] as const) {
      const { client, id } = await its.person()
      await moveBack(id, column, seconds)
      expect((await client.session()).body.data.state, column).to.equal('signed_in')
      await moveBack(id, column, 7 * 86_400)
      expect(await client.verdict('GET', '/webhooks'), column).to.equal('401 UNAUTHORIZED')
      expect(client.cookie('sid'), column).to.equal(undefined)
    }
  })

  it('is prolonged by its use, which is noted once a minute', async () => {
    const { client, id } = await its.person()
    await moveBack(id, 'seen_at', 3_600)
    const seenAt = async () => ((await rowsOf(id)) as { seen_at: Date }[])[0]!.seen_at.getTime()
    const before = await seenAt()
    await client.session()
    const noted = await seenAt()
    expect(noted - before).to.be.within(3_590_000, 3_700_000)
    await client.session()
    expect(await seenAt()).to.equal(noted)
  })

  it('ends at the sign-out, and a sign-out without a session is none the worse', async () => {
    const { client, id } = await its.person()
    const other = its.client()
    other.companyId = client.companyId
    other.setCookie('sid', client.cookie('sid')!)
    expect((await client.request('DELETE', SESSION)).body.data).to.deep.equal({ signed_out: true })
    expect(await rowsOf(id)).to.deep.equal([])
    expect(await other.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(verdictOf(await its.client().request('DELETE', SESSION))).to.equal('200')
  })

  // decision: One email in several companies
  it('asks in which company where one email has the same password in several', async () => {
    const { email } = await its.user()
    const { id: other } = await createCompany(its.deps, COMMAND_LINE, { name: 'Other' })
    await createUser(its.deps, other, COMMAND_LINE, { email, name: 'A', password: PASSWORD, role: 'member' })
    const client = its.client()
    const { body } = await client.signIn(email.toUpperCase())
    expect(body.data.state).to.equal('choose_company')
    expect(body.data.companies).to.have.deep.members([
      { id: its.companyId, name: 'Test company' },
      { id: other, name: 'Other' },
    ])
    const chosen = await client.signIn(email, PASSWORD, { company_id: other })
    expect([chosen.body.data.company.id, chosen.body.data.user.role]).to.deep.equal([other, 'member'])
  })

  it('makes a hash with former settings new at the sign-in', async () => {
    const { id, email } = await its.user()
    const users = () => its.stack.db('users').where({ id })
    await users().update({ password_hash: await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1 }) })
    expect(verdictOf(await its.client().signIn(email))).to.equal('200')
    const [{ password_hash }] = (await users()) as [{ password_hash: string }]
    expect(password_hash).to.match(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/)
    expect(verdictOf(await its.client().signIn(email))).to.equal('200')
  })

  // decision: Links to Temporal
  it('tells where Temporal’s UI is only where that is set', async () => {
    const settingsOf = async (url: string) => {
      const { email } = await its.user()
      return (await new ConsoleClient(url).signIn(email)).body.data.settings
    }
    const shown = await settingsOf(its.stack.api.url)
    expect(shown).to.deep.include({ temporal_ui_url: null })
    expect(shown).to.deep.include({ temporal_namespace: its.stack.environment['TEMPORAL_NAMESPACE'] })
    expect(shown).to.deep.include({ retry_schedule: [0.3, 0.6], key_prefix: 'salesdata' })
    expect(shown).to.deep.include({ public_url: its.stack.api.url })
    const other = await its.stack.startApi({ TEMPORAL_UI_URL: 'http://127.0.0.1:8233/' })
    expect(await settingsOf(other.url)).to.include({ temporal_ui_url: 'http://127.0.0.1:8233' })
    await other.stop()
  })

  it('is not needed to hear that a path is not there or takes another method', async () => {
    const client = its.client()
    expect(verdictOf(await client.request('GET', '/console/api/nothing'))).to.equal('404 NOT_FOUND')
    expect(verdictOf(await client.request('PATCH', SESSION, {}))).to.equal('405 METHOD_NOT_ALLOWED')
  })
})
