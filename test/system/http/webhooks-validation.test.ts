import { expect } from 'chai'
import { expectRefusal } from '../../support/http-refusals.ts'
import { useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

const PATH = '/api-v1-webhooks'

describe('what a webhook request may not say', () => {
  const use = useStack('quiet')

  const body = (fields: object = {}) => ({
    name: 'CRM sync',
    url: 'https://example.com/hooks',
    events: ['deal.created', 'contact.created'],
    ...fields,
  })
  const refused = (method: string, path: string, sent?: unknown) =>
    expectRefusal(use.tenant, [method, path, sent], [400, 'VALIDATION_ERROR'])

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

  // decision: URLs
  it('refuses a URL that is not HTTPS or private, on creation and on update', async () => {
    const { id } = (await use.tenant.request('POST', PATH, body())).body.data
    for (const [url, word] of [
      ['http://example.com/', 'HTTPS'],
      ['https://169.254.169.254/', 'public'],
    ]) {
      expect(await refused('POST', PATH, body({ url }))).to.include(word)
      expect(await refused('PATCH', `${PATH}/${id}`, { url })).to.include(word)
    }
  })

  it('names the offending event type', async () => {
    for (const type of ['contact.exploded', 'test.webhook', 'constructor', '{{a}}'])
      expect(await refused('POST', PATH, body({ events: ['contact.created', type] }))).to.include(type)
  })

  // decision: Read-only fields in a body
  it('names an unknown field', async () => {
    expect(await refused('POST', PATH, body({ colour: 'blue' }))).to.include('colour')
  })
})
