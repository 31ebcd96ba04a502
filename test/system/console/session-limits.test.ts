import { expect } from 'chai'
import { newToken } from '../../../src/domain/user/session.ts'
import { ConsoleClient, useConsole, verdictOf } from '../../support/console.ts'
import { TOTP_PATH } from '../../support/totp.ts'

const SESSION = '/console/api/session'

describe('the sessions of one user', () => {
  const its = useConsole({ workers: 0 })

  const rowsOf = (userId: string) => its.stack.db('console_sessions').where({ user_id: userId })
  const lives = async (client: ConsoleClient) => (await client.verdict('GET', '/keys')) === '200'

  /** Two sessions of one user at a separate api with these settings. */
  async function signInAt(settings: Record<string, string>) {
    const { url } = await its.stack.startApi(settings)
    const { email } = await its.user()
    const clients = [new ConsoleClient(url), new ConsoleClient(url)] as const
    for (const client of clients) await client.signIn(email)
    return clients
  }

  // decision: Sessions of the console
  it('are 20 at most: one more ends that which was used least lately, and none of anybody else', async () => {
    const { client: first, id, email } = await its.person()
    const { client: colleague } = await its.person()
    const idle = its.client()
    await idle.signIn(email)
    const [latest] = (await rowsOf(id).orderBy('created_at', 'desc').limit(1)) as { id_hash: Buffer }[]
    const anHourAgo = new Date(Date.now() - 3_600_000)
    await its.stack.set('console_sessions', { id_hash: latest!.id_hash }, { seen_at: anHourAgo })
    for (let sessions = 2; sessions < 20; sessions++) await its.client().signIn(email)
    expect(await rowsOf(id)).to.have.length(20)
    await its.client().signIn(email)
    expect(await rowsOf(id)).to.have.length(20)
    expect([await lives(idle), await lives(first), await lives(colleague)]).to.deep.equal([false, true, true])
    await Promise.all([1, 2, 3].map(() => its.client().signIn(email)))
    expect(await rowsOf(id)).to.have.length(20)
  })

  // decision: Requests of a session
  it('may make so many requests a minute each, 600 where a key may make more, and then still sign out', async () => {
    const [spent, fresh] = await signInAt({ RATE_LIMIT_PER_MINUTE: '4' })
    const shown = await spent.session()
    expect(shown.headers.get('ratelimit-policy')).to.equal('"default";q=4;w=60')
    expect(await spent.verdict('GET', '/keys')).to.equal('200')
    expect(verdictOf(await spent.request('POST', TOTP_PATH, {}))).to.equal('200')
    expect(await spent.verdict('GET', '/nothing')).to.equal('404 NOT_FOUND')
    expect(verdictOf(await spent.session())).to.equal('200')
    for (const refused of [
      await spent.session(),
      await spent.call('GET', '/keys'),
      await spent.request('POST', TOTP_PATH, {}),
      await spent.request('PUT', '/console/api/password', { current_password: 'a', new_password: 'b' }),
      await spent.request('POST', `${SESSION}/reauthenticate`, { password: 'a' }),
    ]) {
      expect(verdictOf(refused)).to.equal('429 RATE_LIMITED')
      expect(refused.body.error.message).to.equal('This session may make 4 requests a minute.')
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    }
    expect(await fresh.verdict('GET', '/keys')).to.equal('200')
    expect(verdictOf(await spent.request('DELETE', SESSION))).to.equal('200')
    expect((await spent.session()).body.data.state).to.equal('signed_out')
    const [client] = await signInAt({ RATE_LIMIT_PER_MINUTE: '6000' })
    const { headers } = await client.call('GET', '/keys')
    expect(headers.get('ratelimit-policy')).to.equal('"default";q=600;w=60')
  })

  // decision: Rate limits
  it('are no worse for unknown ones, which fail for their address as unknown keys do, beside a living one', async () => {
    const [client, guesser] = await signInAt({ AUTH_FAILURES_PER_MINUTE: '3' })
    const guess = () => {
      guesser.setCookie('sid', newToken())
      return guesser.session()
    }
    for (let failures = 0; failures < 3; failures++) expect(verdictOf(await guess())).to.equal('200')
    const refused = await guess()
    expect(verdictOf(refused)).to.equal('429 RATE_LIMITED')
    expect(refused.headers.get('connection')).to.equal('close')
    expect((await guesser.session()).body.data.state).to.equal('signed_out')
    expect(verdictOf(await guesser.request('GET', '/api-v1-webhooks'))).to.equal('429 RATE_LIMITED')
    expect(await client.verdict('GET', '/keys')).to.equal('200')
    client.setCookie('sid', newToken())
    expect(await client.verdict('GET', '/keys')).to.equal('429 RATE_LIMITED')
  })
})
