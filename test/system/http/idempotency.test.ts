import { expect } from 'chai'
import { verdictOf } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const WEBHOOKS = '/api-v1-webhooks'
const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

describe('Idempotency-Key', () => {
  const use = useStack('quiet')

  const post = (key: string, path: string, body?: object, who = use.tenant) =>
    who.request('POST', path, body, { 'Idempotency-Key': key })
  const countOf = async (path: string) => (await use.tenant.request('GET', path)).body.pagination.total

  // decision: Idempotency-Key
  it('answers a repeat what the first request answered, its secret included, creates nothing, and stores no answer in clear', async () => {
    const first = await post('one', WEBHOOKS, WEBHOOK)
    const again = await post('one', WEBHOOKS, WEBHOOK)
    expect([again.status, again.body]).to.deep.equal([201, first.body])
    expect(again.body.data.secret).to.match(/^whsec_/)
    expect(first.headers.get('idempotent-replayed')).to.equal(null)
    expect(again.headers.get('idempotent-replayed')).to.equal('true')
    expect(again.headers.get('etag')).to.equal(first.headers.get('etag'))
    expect(await countOf(WEBHOOKS)).to.equal(1)
    const rows = await use.stack.db('idempotency').where({ company_id: use.tenant.tenant.companyId })
    expect(rows).to.have.length(1)
    expect(JSON.stringify(rows)).to.not.include(first.body.data.secret).and.not.include(first.body.data.id)
  })

  // decision: Idempotency-Key
  it('lets one of twenty requests at the same time do the work', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('all at once', '/api-v1-contacts', { name: 'a' })),
    )
    expect(new Set(answers.map(({ status }) => status))).to.not.include(500)
    for (const answer of answers) expect(answer.status).to.be.oneOf([201, 409])
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id as string)
    expect(new Set(ids)).to.have.property('size', 1)
    expect(await countOf('/api-v1-contacts')).to.equal(1)
  })

  it('refuses another body under the same key, and keeps keys apart by API key and path', async () => {
    const { companyId } = use.tenant.tenant
    const sibling = await use.stack.tenant({ companyId })
    await post('same', '/api-v1-contacts', { name: 'a' })
    const other = await post('same', '/api-v1-contacts', { name: 'b' })
    expect(verdictOf(other)).to.equal('422 IDEMPOTENCY_KEY_REUSED')
    expect((await post('same', '/api-v1-organizations', { name: 'b' })).status).to.equal(201)
    expect((await post('same', '/api-v1-contacts', { name: 'c' }, sibling)).status).to.equal(201)
  })

  // decision: Idempotency-Key
  it('keeps no failure: the corrected request may use the key', async () => {
    expect((await post('fix', '/api-v1-contacts', {})).status).to.equal(400)
    expect((await post('fix', '/api-v1-contacts', { name: 'a' })).status).to.equal(201)
    const { body } = await post('hook', WEBHOOKS, WEBHOOK)
    const unknown = `${WEBHOOKS}/${body.data.id}/deliveries/del_00000000-0000-4000-8000-000000000000/retry`
    expect((await post('gone', unknown)).status).to.equal(404)
  })

  it('forgets after 24 hours', async () => {
    const first = await post('old', '/api-v1-contacts', { name: 'a' })
    const old = { created_at: new Date(Date.now() - 24 * 3_600_000 - 1000) }
    await use.stack.set('idempotency', { company_id: use.tenant.tenant.companyId }, old)
    const later = await post('old', '/api-v1-contacts', { name: 'b' })
    expect(later.status).to.equal(201)
    expect(later.body.data.id).to.not.equal(first.body.data.id)
  })

  for (const key of ['', 'a'.repeat(256), 'tab\there', 'ümlaut'])
    it(`refuses the key ${JSON.stringify(key.slice(0, 20))}`, async () => {
      const answer = await post(key, '/api-v1-contacts', { name: 'a' })
      expect(verdictOf(answer)).to.equal('400 VALIDATION_ERROR')
    })
})

describe('ETag and If-Match of webhooks', () => {
  const use = useStack('quiet')
  let one: string
  let etag: string
  beforeEach(async () => {
    const created = await use.tenant.request('POST', WEBHOOKS, WEBHOOK)
    one = `${WEBHOOKS}/${created.body.data.id}`
    etag = created.headers.get('etag') ?? ''
  })

  const change = (ifMatch: string, body: object = { name: 'b' }) =>
    use.tenant.request('PATCH', one, body, { 'If-Match': ifMatch })

  it('gives the tag with create, get and update, and another one after a change', async () => {
    expect((await use.tenant.request('GET', one)).headers.get('etag')).to.equal(etag)
    const changed = await use.tenant.request('PATCH', one, { name: 'b' })
    expect(changed.headers.get('etag'))
      .to.match(/^"\d+"$/)
      .and.not.equal(etag)
    expect((await use.tenant.request('GET', one)).headers.get('etag')).to.equal(changed.headers.get('etag'))
  })

  // decision: If-Match
  it('lets exactly one of ten changes of the same version through', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => change(etag, { name: `n${n}` })))
    const refusals = Array<string>(9).fill('412 PRECONDITION_FAILED')
    expect(answers.map(verdictOf).sort()).to.deep.equal(['200', ...refusals])
  })

  // decision: If-Match
  it('accepts * and lists of tags, and never a weak tag, for changes and for deletions', async () => {
    const remove = (ifMatch: string) => use.tenant.request('DELETE', one, undefined, { 'If-Match': ifMatch })
    expect((await remove('"nonsense"')).status).to.equal(412)
    expect((await change(`W/${etag}`)).status).to.equal(412)
    expect((await change('"nonsense"')).status).to.equal(412)
    expect((await change(`"0", ${etag}`)).status).to.equal(200)
    expect((await change('*')).status).to.equal(200)
    const tag = etag.slice(1, -1)
    const wrong = [tag, `"${tag}`, `'${tag}'`, `w/${etag}`, `${etag} ${etag}`, `*, ${etag}`, ',', '', ' ']
    for (const malformed of wrong)
      expect(verdictOf(await change(malformed)), malformed).to.equal('400 VALIDATION_ERROR')
    expect((await change(',"a,b" , W/"1",')).status).to.equal(412)
    expect((await remove('*')).status).to.equal(200)
  })
})
