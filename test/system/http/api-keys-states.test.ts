import { expect } from 'chai'
import { newApiKey } from '../../../src/domain/key/key.ts'
import type { TestKey } from '../../support/keyring.ts'
import { refusalOf } from '../../support/refusals.ts'
import { useSuspension } from '../../support/suspension.ts'
import { clientOf, verdictOf } from '../../support/tenants.ts'
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

  /** What both api processes answer to the key; they must agree. */
  async function verdictOfKey({ secret }: TestKey): Promise<string> {
    const answers = await Promise.all(
      [its.stack.api.url, other.stack.api.url].map((url) => its.callWith(secret, { url })),
    )
    const [verdict, ...others] = answers.map((answer) => answer.verdict)
    expect(others).to.deep.equal([verdict])
    return verdict ?? ''
  }
  type Change = (id: string) => Promise<unknown>
  const disable: Change = (id) => change(id, false)
  const enable: Change = (id) => change(id, true)
  const expire: Change = (id) => its.expireNow(id)
  const FINAL = ', and it never works again'
  const TRANSITIONS: [string, Change[], string, string?][] = [
    ['active -> disabled by is_active false', [disable], '401 API_KEY_DISABLED'],
    ['disabled -> active by is_active true', [disable, enable], '200'],
    ['active -> expired when the expiration date passes', [expire], '401 API_KEY_EXPIRED', FINAL],
    ['disabled -> expired likewise', [disable, expire], '401 API_KEY_EXPIRED', FINAL],
    ['active -> revoked', [revoke], '401 API_KEY_REVOKED', FINAL],
    ['disabled -> revoked', [disable, revoke], '401 API_KEY_REVOKED', FINAL],
  ]
  for (const [transition, changes, verdict, final = ''] of TRANSITIONS) {
    // decision: Disabled and back
    it(`${transition}: ${verdict} to the next request on every process${final}`, async () => {
      const key = await its.keyring.create()
      expect([await verdictOfKey(key), await stateOf(key)]).to.deep.equal(['200', 'active'])
      for (const make of changes) await make(key.id)
      expect(await verdictOfKey(key)).to.equal(verdict)
      expect(await stateOf(key)).to.equal(/-> (\w+)/.exec(transition)![1])
      if (final === '') return
      expect(await refusalOf(enable(key.id))).to.match(/^INVALID_REQUEST: /)
      expect(await verdictOfKey(key)).to.equal(verdict)
    })
  }

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
  it('answers an unknown key with the same bytes as a malformed one', async () => {
    const unknown = await its.callWith(newApiKey('salesdata', 'live'))
    const malformed = await its.callWith('x')
    expect(unknown.verdict).to.equal('401 INVALID_API_KEY')
    expect(unknown.text).to.equal(malformed.text)
  })

  it('sends WWW-Authenticate: Bearer with every 401, an X-Request-Id with every answer, and never the key', async () => {
    const revoked = await its.keyring.create()
    await its.keyring.revoke(revoked.id)
    const answers = [
      await its.call({}),
      await its.callWith('x'),
      await its.callWith(newApiKey('salesdata', 'live')),
      await its.callWith(revoked.secret),
    ]
    for (const { status, headers, text } of answers) {
      expect(status).to.equal(401)
      expect(headers.get('www-authenticate')).to.equal('Bearer')
      expect(headers.get('x-request-id')).to.match(/^[A-Za-z0-9._-]{1,64}$/)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(text).to.not.include(revoked.secret.slice(10))
    }
  })
})

describe('a suspended company', () => {
  const use = useStack('quiet')
  const other = useStack('proxied')
  const { suspend, resume, companyId } = useSuspension(use)

  // decision: Suspended companies
  it('has its keys refused with the next request to every api process, and nothing is published', async () => {
    const sandbox = await use.stack.tenant({ companyId: companyId(), environment: 'test' })
    const ask = () =>
      Promise.all(
        [use.stack.api.url, other.stack.api.url].flatMap((url) =>
          [use.tenant.key, sandbox.key].map(async (key) =>
            verdictOf(await clientOf(url, key)('POST', '/api-v1-contacts', { name: 'Ada' })),
          ),
        ),
      )
    const events = () => use.stack.db('events').where({ company_id: companyId() }) as Promise<unknown[]>
    await suspend()
    expect(new Set(await ask())).to.deep.equal(new Set(['401 API_KEY_DISABLED']))
    expect(await events()).to.have.length(0)
    await resume()
    expect(new Set(await ask())).to.deep.equal(new Set(['201']))
    expect(await events()).to.have.length(4)
  })
})
