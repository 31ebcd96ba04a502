import { expect } from 'chai'
import { useKeys } from '../support/use-keys.ts'
import { useStack } from '../support/use-stack.ts'

describe('calls that a key may not make', () => {
  const PER_MINUTE = 6
  const use = useStack({ workers: 0, environment: { DENIED_CALLS_PER_MINUTE: String(PER_MINUTE) } })
  const its = useKeys(() => use.stack)

  const DENIALS = [
    ['403 INSUFFICIENT_PERMISSIONS', { method: 'POST' }, { scopes: ['read:webhooks'] }],
    ['403 IP_NOT_ALLOWED', {}, { ipAllowlist: ['192.0.2.1'] }],
    ['404 NOT_FOUND', { path: '/api-v1-nothing' }, {}],
    ['405 METHOD_NOT_ALLOWED', { method: 'DELETE' }, {}],
  ] as const
  for (const [verdict, init, input] of DENIALS)
    it(`answers 429 with Retry-After in place of ${verdict} once they are too many`, async () => {
      const { secret } = await its.keyring.create(structuredClone(input))
      for (let call = 0; call < PER_MINUTE; call++)
        expect((await its.callWith(secret, init)).verdict).to.equal(verdict)
      const refused = await its.callWith(secret, init)
      expect(refused.verdict).to.equal('429 RATE_LIMITED')
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
      expect(refused.message).to.include('check its scopes')
    })

  // decision: Denied calls have a limit of their own
  it('count neither against the permitted calls of the key nor against another key', async () => {
    const [loud, quiet] = [await its.keyring.create(), await its.keyring.create()]
    for (let call = 0; call < PER_MINUTE + 4; call++) {
      await its.callWith(loud.secret, { method: 'DELETE' })
      expect((await its.callWith(loud.secret)).verdict).to.equal('200')
    }
    expect((await its.callWith(loud.secret, { method: 'DELETE' })).verdict).to.equal('429 RATE_LIMITED')
    const denied = '405 METHOD_NOT_ALLOWED'
    expect((await its.callWith(quiet.secret, { method: 'DELETE' })).verdict).to.equal(denied)
  })

  // decision: Denied calls have a limit of their own
  it('do not include the 404 of an object, which the rate limit counts', async () => {
    const { secret } = await its.keyring.create()
    for (let call = 0; call < PER_MINUTE + 4; call++) {
      const { verdict } = await its.callWith(secret, { path: '/api-v1-webhooks/unknown' })
      expect(verdict).to.equal('404 NOT_FOUND')
    }
  })
})
