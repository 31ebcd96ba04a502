import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { newApiKey } from '../../../src/domain/key/key.ts'
import { revokeApiKey } from '../../../src/operations/key/change.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

describe('spec, Authentication and Key rules, over HTTP', () => {
  const use = useStack('quiet')
  const its = useKeys(() => use.stack)

  // decision: Reading the key
  it('reads no key from query, cookie, body or another header', async () => {
    const { secret } = await its.keyring.create()
    const path = `/api-v1-webhooks?api_key=${secret}&access_token=${secret}`
    const headers = { cookie: `api_key=${secret}`, 'x-api-key': secret, 'content-type': 'application/json' }
    const body = JSON.stringify({ api_key: secret })
    const answer = await its.stack.call({ method: 'POST', path, headers, body })
    expect(answer.verdict).to.equal('401 UNAUTHORIZED')
  })

  // decision: Unknown key
  it('answers an unknown key with the same bytes as a malformed one', async () => {
    const unknown = await its.stack.callWith(newApiKey('salesdata', 'live'))
    const malformed = await its.stack.callWith('x')
    expect(unknown.verdict).to.equal('401 INVALID_API_KEY')
    expect(unknown.text).to.equal(malformed.text)
  })

  it('sends WWW-Authenticate: Bearer with every 401, an X-Request-Id with every answer, and never the key', async () => {
    const revoked = await its.keyring.create()
    await revokeApiKey(its.stack.deps, its.keyring.companyId, COMMAND_LINE, revoked.id)
    const answers = [
      await its.stack.call({}),
      await its.stack.callWith('x'),
      await its.stack.callWith(newApiKey('salesdata', 'live')),
      await its.stack.callWith(revoked.secret),
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
