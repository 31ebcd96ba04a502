import { expect } from 'chai'
import { startKeyStack, type KeyStack } from '../support/key-stack.ts'
import type { Keyring } from '../support/keyring.ts'

describe('calls that a key may not make', () => {
  const PER_MINUTE = 6
  let stack: KeyStack
  let keyring: Keyring
  before(async () => {
    stack = await startKeyStack({ environment: { DENIED_CALLS_PER_MINUTE: String(PER_MINUTE) } })
    keyring = await stack.keyring()
  })
  after(() => stack.stop())

  const DENIALS = [
    {
      verdict: '403 INSUFFICIENT_PERMISSIONS',
      init: { method: 'POST' },
      input: { scopes: ['read:webhooks'] },
    },
    { verdict: '403 IP_NOT_ALLOWED', init: {}, input: { ipAllowlist: ['192.0.2.1'] } },
    { verdict: '404 NOT_FOUND', init: { path: '/api-v1-nothing' }, input: {} },
    { verdict: '405 METHOD_NOT_ALLOWED', init: { method: 'DELETE' }, input: {} },
  ] as const
  for (const { verdict, init, input } of DENIALS) {
    it(`answers 429 with Retry-After in place of ${verdict} once they are too many`, async () => {
      const { secret } = await keyring.create(structuredClone(input))
      for (let call = 0; call < PER_MINUTE; call++) {
        expect((await stack.callWith(secret, init)).verdict).to.equal(verdict)
      }
      const refused = await stack.callWith(secret, init)
      expect(refused.verdict).to.equal('429 RATE_LIMITED')
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
      expect(refused.message).to.include('check its scopes')
    })
  }

  // decision: Denied calls have a limit of their own
  it('count neither against the permitted calls of the key nor against another key', async () => {
    const [loud, quiet] = [await keyring.create(), await keyring.create()]
    for (let call = 0; call < PER_MINUTE + 4; call++) {
      await stack.callWith(loud.secret, { method: 'DELETE' })
      expect((await stack.callWith(loud.secret)).verdict).to.equal('200')
    }
    expect((await stack.callWith(loud.secret, { method: 'DELETE' })).verdict).to.equal('429 RATE_LIMITED')
    expect((await stack.callWith(quiet.secret, { method: 'DELETE' })).verdict).to.equal(
      '405 METHOD_NOT_ALLOWED',
    )
  })

  // decision: Denied calls have a limit of their own
  it('do not include the 404 of an object, which the rate limit counts', async () => {
    const { secret } = await keyring.create()
    for (let call = 0; call < PER_MINUTE + 4; call++) {
      const { verdict } = await stack.callWith(secret, { path: '/api-v1-webhooks/unknown' })
      expect(verdict).to.equal('404 NOT_FOUND')
    }
  })
})
