import { request } from 'node:http'
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { newApiKey } from '../../../src/domain/key/key.ts'
import { revokeApiKey, updateApiKey } from '../../../src/operations/key/change.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

describe('spec, Authentication and Key rules, over HTTP', () => {
  const use = useStack('quiet')
  const its = useKeys(() => use.stack)

  const unauthorized = (headers: Record<string, string> = {}) => its.stack.call({ headers })

  it('Every request carries the header Authorization: Bearer <API_KEY>', async () => {
    const { secret } = await its.keyring.create()
    expect((await its.stack.callWith(secret)).verdict).to.equal('200')
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      const answer = await unauthorized({ authorization: `${scheme} ${secret}` })
      expect(answer.verdict, scheme).to.equal('200')
    }
  })

  // decision: Reading the key
  it('reads no key from query, cookie, body or another header', async () => {
    const { secret } = await its.keyring.create()
    const path = `/api-v1-webhooks?api_key=${secret}&access_token=${secret}`
    const headers = { cookie: `api_key=${secret}`, 'x-api-key': secret, 'content-type': 'application/json' }
    const body = JSON.stringify({ api_key: secret })
    const answer = await its.stack.call({ method: 'POST', path, headers, body })
    expect(answer.verdict).to.equal('401 UNAUTHORIZED')
  })

  it('No Authorization header: 401 UNAUTHORIZED', async () => {
    expect((await unauthorized()).verdict).to.equal('401 UNAUTHORIZED')
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz']) {
      expect((await unauthorized({ authorization })).verdict, authorization).to.equal('401 UNAUTHORIZED')
    }
  })

  it('Malformed key: 401 INVALID_API_KEY', async () => {
    const { secret } = await its.keyring.create()
    const malformed = [
      'x',
      secret.slice(0, -1),
      `${secret}a`,
      secret.replace('_live_', '_prod_'),
      secret.replace('salesdata', 'sales-data'),
      `${secret.slice(0, -1)}-`,
      `${secret} ${secret}`,
      'a'.repeat(300),
    ]
    for (const key of malformed) {
      expect((await its.stack.callWith(key)).verdict, key).to.equal('401 INVALID_API_KEY')
    }
  })

  // decision: Unknown key
  it('answers an unknown key with the same bytes as a malformed one', async () => {
    const unknown = await its.stack.callWith(newApiKey('salesdata', 'live'))
    const malformed = await its.stack.callWith('x')
    expect(unknown.verdict).to.equal('401 INVALID_API_KEY')
    expect(unknown.text).to.equal(malformed.text)
  })

  // decision: Reading the key
  it('refuses two Authorization headers, whichever comes first', async () => {
    const { secret } = await its.keyring.create()
    const status = (values: string[]) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = ['Host', 'localhost', ...values.flatMap((value) => ['Authorization', value])]
        const url = `${its.stack.api.url}/api-v1-webhooks`
        request(url, { headers }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await status([`Bearer ${secret}`])).to.equal(200)
    expect(await status([`Bearer ${secret}`, `Bearer ${secret}`])).to.equal(401)
    expect(await status([`Bearer ${secret}`, 'Basic x'])).to.equal(401)
  })

  it('Key disabled (is_active false): no requests are processed', async () => {
    const { id, secret } = await its.keyring.create()
    await updateApiKey(its.stack.deps, its.keyring.companyId, COMMAND_LINE, id, { isActive: false })
    const body = JSON.stringify({ name: 'x', url: 'https://example.com/', events: ['deal.created'] })
    const headers = { 'content-type': 'application/json' }
    const answer = await its.stack.callWith(secret, { method: 'POST', headers, body })
    expect(answer.verdict).to.equal('401 API_KEY_DISABLED')
    const rows: unknown[] = await its.stack.db('webhooks').where({ company_id: its.keyring.companyId })
    expect(rows).to.deep.equal([])
  })

  it('Key format: <service_prefix>_<environment>_<random>, 32 alphanumeric characters', async () => {
    for (const environment of ['live', 'test'] as const) {
      const { secret } = await its.keyring.create({}, environment)
      expect(secret).to.match(new RegExp(`^salesdata_${environment}_[A-Za-z0-9]{32}$`))
      expect((await its.stack.callWith(secret)).verdict).to.equal('200')
    }
  })

  it('sends WWW-Authenticate: Bearer with every 401, an X-Request-Id with every answer, and never the key', async () => {
    const revoked = await its.keyring.create()
    await revokeApiKey(its.stack.deps, its.keyring.companyId, COMMAND_LINE, revoked.id)
    const answers = [
      await unauthorized(),
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

  // decision: Unknown paths
  it('asks for a key before it says that a path is unknown, so that nobody without a key learns which paths exist', async () => {
    const { secret } = await its.keyring.create()
    expect((await its.stack.call({ path: '/api-v1-nothing' })).verdict).to.equal('401 UNAUTHORIZED')
    expect((await its.stack.callWith(secret, { path: '/api-v1-nothing' })).verdict).to.equal('404 NOT_FOUND')
  })
})
