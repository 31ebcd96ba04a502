import { expect } from 'chai'
import { expectRefusal } from '../../support/http-refusals.ts'
import { useStack } from '../../support/use-stack.ts'

const PATH = '/api-v1-webhooks'

describe('what a webhook request may not say', () => {
  const use = useStack('quiet')

  const body = (fields: object = {}) => ({
    name: 'CRM sync',
    url: 'https://example.com/hooks',
    events: ['deal.created', 'contact.created'],
    ...fields,
  })
  async function create(): Promise<{ id: string }> {
    return (await use.tenant.request('POST', PATH, body())).body.data
  }
  const refused = (method: string, path: string, status: number, code: string, sent?: unknown) =>
    expectRefusal(use.tenant, [method, path, sent], [status, code])

  const QUERIES = [
    ...['limit=0', 'limit=101', 'limit=1e1', 'limit=-1', 'limit=', 'page=0', 'page=1.0', 'page= 2'],
    ...['is_active=1', 'is_active=TRUE', 'limit=1&limit=2', 'unknown=1', '__proto__=1'],
  ]
  for (const query of QUERIES) {
    // decision: Values are never coerced
    it(`refuses the query ${query}`, () => refused('GET', `${PATH}?${query}`, 400, 'VALIDATION_ERROR'))
  }

  // decision: Pages
  it('takes pages up to the millionth and refuses the next', async () => {
    const { status, body } = await use.tenant.request('GET', `${PATH}?page=1000000&limit=100`)
    expect([status, body.data, body.pagination.has_more]).to.deep.equal([200, [], false])
    const message = await refused('GET', `${PATH}?page=1000001`, 400, 'VALIDATION_ERROR')
    expect(message).to.include('page').and.include('1000000')
    await refused('GET', `${PATH}?page=999999999999`, 400, 'VALIDATION_ERROR')
  })

  it('refuses a URL that is not HTTPS, on creation and on update', async () => {
    const message = await refused('POST', PATH, 400, 'VALIDATION_ERROR', body({ url: 'http://example.com/' }))
    expect(message).to.include('HTTPS')
    const { id } = await create()
    await refused('PATCH', `${PATH}/${id}`, 400, 'VALIDATION_ERROR', { url: 'http://example.com/' })
  })

  // decision: URLs
  it('refuses private addresses on creation and on update', async () => {
    const { id } = await create()
    for (const url of [
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://0x7f000001.example.com:22/',
      'https://169.254.169.254/',
    ]) {
      await refused('POST', PATH, 400, 'VALIDATION_ERROR', body({ url }))
      await refused('PATCH', `${PATH}/${id}`, 400, 'VALIDATION_ERROR', { url })
    }
  })

  it('names the offending event type', async () => {
    const message = await refused(
      'POST',
      PATH,
      400,
      'VALIDATION_ERROR',
      body({ events: ['contact.created', 'contact.exploded'] }),
    )
    expect(message).to.include('contact.exploded')
    await refused('POST', PATH, 400, 'VALIDATION_ERROR', body({ events: ['test.webhook'] }))
    await refused('POST', PATH, 400, 'VALIDATION_ERROR', body({ events: ['constructor'] }))
    await refused('POST', PATH, 400, 'VALIDATION_ERROR', body({ events: ['{{a}}'] }))
  })

  // decision: Read-only fields in a body
  it('names an unknown field', async () => {
    expect(await refused('POST', PATH, 400, 'VALIDATION_ERROR', body({ colour: 'blue' }))).to.include(
      'colour',
    )
  })
})
