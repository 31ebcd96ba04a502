import { expect } from 'chai'
import { verdictOf, type TestTenant } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

const PATH = '/api-v1-webhooks'
const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }
const OTHER = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** Sends a request that has to be refused. @returns the message */
async function refusal(tenant: TestTenant, ...sent: Parameters<TestTenant['request']>): Promise<string> {
  const answer = await tenant.request(...sent)
  expect(verdictOf(answer)).to.equal('400 VALIDATION_ERROR')
  return answer.body.error.message
}

describe('the secret in a webhook request', () => {
  const use = useStack('quiet')
  let one: string
  let secret: string
  beforeEach(async () => {
    const { body } = await use.tenant.request('POST', PATH, WEBHOOK)
    one = `${PATH}/${body.data.id}`
    secret = body.data.secret as string
  })

  const row = () =>
    use.stack
      .db('webhooks')
      .where({ id: one.slice(PATH.length + 1) })
      .first()

  // decision: A secret in a body
  it('is refused by name on creation, in place of being dropped', async () => {
    const body = { ...WEBHOOK, secret: OTHER }
    const message = await refusal(use.tenant, 'POST', PATH, body)
    expect(message).to.include('"secret"').and.not.include(OTHER)
    expect((await use.tenant.request('GET', PATH)).body.pagination.total).to.equal(1)
  })

  // decision: A secret in a body
  it('is refused by name on update when it is not the current one, and nothing is changed', async () => {
    const before = await row()
    const near = [`${secret}a`, secret.slice(0, -1), secret.toUpperCase()]
    for (const given of [OTHER, ...near, '', null, 1, [secret]]) {
      const body = { name: 'b', secret: given }
      const message = await refusal(use.tenant, 'PATCH', one, body)
      expect(message, String(given)).to.include('"secret"').and.not.include('whsec_')
    }
    expect(await row()).to.deep.equal(before)
  })

  it('is looked at before If-Match, and after the object', async () => {
    const stale = { 'If-Match': '"0"' }
    const wrong = await use.tenant.request('PATCH', one, { secret: OTHER }, stale)
    const right = await use.tenant.request('PATCH', one, { secret }, stale)
    expect([wrong.status, right.status]).to.deep.equal([400, 412])
    const stranger = await use.stack.tenant()
    expect((await stranger.request('PATCH', one, { secret })).status).to.equal(404)
  })
})

describe('what a webhook request may not say', () => {
  const use = useStack('quiet')

  const refused = (method: string, path: string, sent?: unknown) => refusal(use.tenant, method, path, sent)

  const QUERIES = words(`limit=0 limit=101 limit=1e1 limit=-1 limit= page=0 page=1.0 page=%202
    is_active=1 is_active=TRUE limit=1&limit=2 unknown=1 __proto__=1`)
  for (const query of QUERIES) {
    // decision: Values are never coerced
    it(`refuses the query ${query}`, () => refused('GET', `${PATH}?${query}`))
  }

  // decision: Pages
  it('takes pages up to the millionth and refuses the next', async () => {
    const { status, body } = await use.tenant.request('GET', `${PATH}?page=1000000&limit=100`)
    expect([status, body.data, body.pagination.has_more]).to.deep.equal([200, [], false])
    const message = await refused('GET', `${PATH}?page=1000001`)
    expect(message).to.include('page').and.include('1000000')
  })
})
