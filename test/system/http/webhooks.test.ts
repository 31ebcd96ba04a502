import { expect } from 'chai'
import { useStack } from '../../support/use-stack.ts'
import { verdictOf, type Json, type TestTenant } from '../../support/tenants.ts'

const PATH = '/api-v1-webhooks'
const UNKNOWN = `${PATH}/whk_00000000-0000-4000-8000-000000000000`

describe('webhooks over HTTP', () => {
  const use = useStack('proxied')

  const EVENTS = ['deal.created', 'contact.created']
  const body = (fields = {}) => ({ name: 'CRM', url: 'https://example.com/hooks', events: EVENTS, ...fields })
  async function create(fields: object = {}): Promise<Json> {
    const answer = await use.tenant.request('POST', PATH, body(fields))
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }

  /** Expects 404 for every request under the id. */
  async function expectUnknown(tenant: TestTenant, id: string): Promise<void> {
    const delivery = '/deliveries/del_00000000-0000-4000-8000-000000000000'
    const paths = {
      GET: ['', '/deliveries', delivery, '/recoveries', '/stats'],
      POST: ['/test', '/regenerate-secret', '/recover', '/filter/preview', `${delivery}/retry`],
      PATCH: [''],
      DELETE: [''],
    }
    for (const [method, suffixes] of Object.entries(paths)) {
      const sent = ['POST', 'PATCH'].includes(method) ? {} : undefined
      for (const suffix of suffixes) {
        const refused = await tenant.request(method, `${PATH}/${id}${suffix}`, sent)
        expect(verdictOf(refused), `${method} ${suffix}`).to.equal('404 NOT_FOUND')
      }
    }
  }

  // decision: Success codes
  // decision: Create answer
  // decision: Events
  it('creates a webhook with the defaults of the spec and shows its secret', async () => {
    const created = await create()
    expect(created.id).to.match(/^whk_[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(created.secret).to.match(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(created).to.deep.include({ is_active: true, headers: {}, max_retries: 5, description: null })
    expect(created.events).to.deep.equal(EVENTS)
    expect(created.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  // decision: PATCH answer
  // decision: Read-only fields in a body
  it('changes only the fields provided, answers what a get answers, accepts that as a PATCH, and leaves read-only fields alone', async () => {
    const kept = { name: '🎉'.repeat(255), description: 'stays', headers: { 'X-A': '1' } }
    const settings = { retry_schedule: [1, 60], filter: { 'data.name': { $exists: true } } }
    const { id } = await create({ ...kept, ...settings, max_retries: 0 })
    const patch = (given: object) => use.tenant.request('PATCH', `${PATH}/${id}`, given)
    const given = { events: ['task.created'], max_retries: 10 }
    const changed = await patch(given)
    expect(changed.body.data).to.deep.include({ ...kept, ...settings, ...given })
    const { body: got } = await use.tenant.request('GET', `${PATH}/${id}`)
    expect(changed.body.data).to.deep.equal(got.data)
    const answer = await patch({ ...got.data, total_deliveries: 99, id: 'x' })
    expect([answer.status, answer.body.data]).to.deep.equal([200, got.data])
    expect((await patch({})).status).to.equal(200)
  })

  it('deletes once; afterwards everything under the id is 404', async () => {
    const { id } = await create()
    const answer = await use.tenant.request('DELETE', `${PATH}/${id}`)
    expect(answer.body).to.deep.equal({ data: { deleted: true } })
    await expectUnknown(use.tenant, id)
    expect((await use.tenant.request('GET', PATH)).body.pagination.total).to.equal(0)
  })

  // decision: Lists
  it('lists newest first, page by page, with the pagination object', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name })
    const first = await use.tenant.request('GET', `${PATH}?limit=2`)
    expect(first.body.data.map(({ name }: Json) => name)).to.deep.equal(['c', 'b'])
    expect(first.body.pagination).to.deep.equal({ total: 3, limit: 2, page: 1, has_more: true })
    const second = await use.tenant.request('GET', `${PATH}?limit=2&page=2`)
    expect(second.body.data.map(({ name }: Json) => name)).to.deep.equal(['a'])
    expect(second.body.pagination.has_more).to.equal(false)
    const beyond = await use.tenant.request('GET', `${PATH}?page=9`)
    const pagination = { total: 3, limit: 50, page: 9, has_more: false }
    expect(beyond.body).to.deep.equal({ data: [], pagination })
  })

  // decision: Unknown, foreign and malformed ids
  it('answers foreign, unknown and malformed ids with the same bytes', async () => {
    const { id } = await create()
    const stranger = await use.stack.tenant()
    const { companyId } = use.tenant.tenant
    const sandbox = await use.stack.tenant({ companyId, environment: 'test' })
    const answers = [
      await stranger.request('GET', `${PATH}/${id}`),
      await sandbox.request('GET', `${PATH}/${id}`),
      await use.tenant.request('GET', UNKNOWN),
      await use.tenant.request('GET', `${PATH}/${id.toUpperCase()}`),
      await use.tenant.request('GET', `${PATH}/${id.slice(4)}`),
      await use.tenant.request('GET', `${PATH}/0`),
      await use.tenant.request('GET', `${PATH}/%F0%9F%92%A5`),
      await use.tenant.request('GET', `${PATH}/%E0%A4%A`),
    ]
    for (const answer of answers) {
      expect(answer.status).to.equal(404)
      expect(answer.body).to.deep.equal({ error: { code: 'NOT_FOUND', message: 'Webhook not found.' } })
    }
    await expectUnknown(stranger, id)
    expect((await use.tenant.request('GET', `${PATH}/${id}`)).status).to.equal(200)
  })

  // decision: A secret in a body
  it('refuses a secret by name at creation, and in a change unless it is the current one', async () => {
    const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    const { id, secret } = await create()
    const one = `${PATH}/${id}`
    const row = () => use.stack.db('webhooks').where({ id }).first()
    const before = await row()
    const near = [`${secret}a`, secret.slice(0, -1), secret.toUpperCase()]
    const changes = [other, ...near, '', null, 1, [secret]].map(
      (given) => ['PATCH', one, { name: 'b', secret: given }] as const,
    )
    for (const [method, path, sent] of [['POST', PATH, body({ secret: other })] as const, ...changes]) {
      const refused = await use.tenant.request(method, path, sent)
      expect(verdictOf(refused), JSON.stringify(sent)).to.equal('400 VALIDATION_ERROR')
      expect(refused.body.error.message).to.include('"secret"').and.not.include('whsec_')
    }
    expect(await row()).to.deep.equal(before)
    // The api checks it before If-Match, and after the object.
    const stale = { 'If-Match': '"0"' }
    expect((await use.tenant.request('PATCH', one, { secret: other }, stale)).status).to.equal(400)
    expect((await use.tenant.request('PATCH', one, { secret }, stale)).status).to.equal(412)
    expect((await (await use.stack.tenant()).request('PATCH', one, { secret })).status).to.equal(404)
  })
})
