import { expect } from 'chai'
import { expectRefusal } from '../../support/http-refusals.ts'
import { useStack } from '../../support/use-stack.ts'

const PATH = '/api-v1-webhooks'
const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }
const OTHER = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

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
    const message = await expectRefusal(use.tenant, ['POST', PATH, body], [400, 'VALIDATION_ERROR'])
    expect(message).to.include('"secret"').and.not.include(OTHER)
    expect((await use.tenant.request('GET', PATH)).body.pagination.total).to.equal(1)
  })

  // decision: A secret in a body
  it('is refused by name on update when it is not the current one, and nothing is changed', async () => {
    const before = await row()
    const near = [`${secret}a`, secret.slice(0, -1), secret.toUpperCase()]
    for (const given of [OTHER, ...near, '', null, 1, [secret]]) {
      const body = { name: 'b', secret: given }
      const message = await expectRefusal(use.tenant, ['PATCH', one, body], [400, 'VALIDATION_ERROR'])
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
