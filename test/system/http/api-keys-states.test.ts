import { expect } from 'chai'
import { newApiKey } from '../../../src/domain/key/key.ts'
import { type TestKey, refusalOf } from '../../support/use-operations.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

describe('spec, States and transitions of an API key, over HTTP', () => {
  const use = useStack('quiet')
  /** Another process on the same database. */
  const other = useStack('proxied')
  const its = useKeys(() => use.stack)

  const change = (id: string, isActive: boolean) => its.keyring.change(id, { isActive: isActive })
  const revoke = (id: string) => its.keyring.revoke(id)
  const stateOf = async ({ id }: TestKey) => (await its.keyring.show(id)).state

  /** The answer of both api processes to the key. They must agree. */
  async function verdictOfKey({ secret }: TestKey): Promise<string> {
    const answers = await Promise.all(
      [its.stack.api.url, other.stack.api.url].map((url) => its.callWith(secret, { url })),
    )
    const [verdict, ...others] = answers.map((answer) => answer.verdict)
    expect(others).to.deep.equal([verdict])
    return verdict ?? ''
  }
  const expire = (id: string) => its.expireNow(id)

  // decision: Disabled and back
  it('disables and enables a key, and ends it for good: each holds with the next request to every process', async () => {
    for (const [end, ended] of [
      [expire, '401 API_KEY_EXPIRED'],
      [revoke, '401 API_KEY_REVOKED'],
    ] as const) {
      const key = await its.keyring.create()
      for (const [make, verdict, state] of [
        [() => Promise.resolve(), '200', 'active'],
        [() => change(key.id, false), '401 API_KEY_DISABLED', 'disabled'],
        [() => change(key.id, true), '200', 'active'],
        [() => end(key.id), ended, end === revoke ? 'revoked' : 'expired'],
      ] as const) {
        await make()
        expect([await verdictOfKey(key), await stateOf(key)]).to.deep.equal([verdict, state])
      }
      expect(await refusalOf(change(key.id, true))).to.match(/^INVALID_REQUEST: /)
      expect(await verdictOfKey(key)).to.equal(ended)
    }
  })

  it('refuses a Personal key by its owner’s membership alone, whatever its own row says', async () => {
    const userId = await its.keyring.user()
    const key = await its.keyring.create({ userId: userId })
    await its.stack.db('users').where({ id: userId }).update({ left_at: new Date(), active_email: null })
    expect(await verdictOfKey(key)).to.equal('401 API_KEY_REVOKED')
    expect(await stateOf(key)).to.equal('revoked')
  })
})

describe('spec, Authentication and Key rules, over HTTP', () => {
  const use = useStack('quiet')
  const its = useKeys(() => use.stack)

  // decision: Reading the key
  it('reads no key from query, cookie, body or another header', async () => {
    const { secret } = await its.keyring.create()
    const path = `/api-v1-webhooks?api_key=${secret}&access_token=${secret}`
    const headers = { cookie: `api_key=${secret}`, 'x-api-key': secret, 'content-type': 'application/json' }
    const body = JSON.stringify({ api_key: secret })
    const answer = await its.call({ method: 'POST', path, headers, body })
    expect(answer.verdict).to.equal('401 UNAUTHORIZED')
  })

  // decision: Unknown key
  it('answers an unknown key with the same bytes as a malformed one, and every 401 with WWW-Authenticate: Bearer and an X-Request-Id, and never with the key', async () => {
    const revoked = await its.keyring.create()
    await its.keyring.revoke(revoked.id)
    const [malformed, unknown] = [await its.callWith('x'), await its.callWith(newApiKey('salesdata', 'live'))]
    expect(unknown.verdict).to.equal('401 INVALID_API_KEY')
    expect(unknown.text).to.equal(malformed.text)
    const answers = [malformed, unknown, await its.call({}), await its.callWith(revoked.secret)]
    for (const { status, headers, text } of answers) {
      expect(status).to.equal(401)
      expect(headers.get('www-authenticate')).to.equal('Bearer')
      expect(headers.get('x-request-id')).to.match(/^[A-Za-z0-9._-]{1,64}$/)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(text).to.not.include(revoked.secret.slice(10))
    }
  })
})
