import { expect } from 'chai'
import { lastBody, rawRequest, sendRaw } from '../../support/raw-http.ts'
import { type Json, createContact, createTestWebhook, type TestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const JSON_TYPE = 'Content-Type: application/json'

describe('a request that takes no body', () => {
  const use = useStack('quiet')
  let webhook: TestWebhook
  let deliveryId: string
  beforeEach(prepare)

  /** A webhook with one delivery, which failed. */
  async function prepare(): Promise<void> {
    webhook = await createTestWebhook(use.stack, use.tenant)
    await createContact(use.tenant)
    ;[{ id: deliveryId }] = (await webhook.deliveries()) as [{ id: string }]
    await use.stack.set('deliveries', { id: deliveryId }, { status: 'failed', closed_at: new Date() })
  }

  /** The method and path of each route under the webhook `id`. */
  const ENDPOINTS: readonly (readonly [string, (id: string) => string])[] = [
    ['POST', (id) => `/api-v1-webhooks/${id}/regenerate-secret`],
    ['POST', (id) => `/api-v1-webhooks/${id}/test`],
    ['POST', (id) => `/api-v1-webhooks/${id}/deliveries/${deliveryId}/retry`],
    ['POST', (id) => `/api-v1-webhooks/${id}/deliveries/${deliveryId}/resend`],
    ['GET', (id) => `/api-v1-webhooks/${id}`],
    ['DELETE', (id) => `/api-v1-webhooks/${id}`],
  ]
  const POSTS = ENDPOINTS.filter(([method]) => method === 'POST')

  /** Sends the bytes unchanged. Returns `400 VALIDATION_ERROR` or `200`. */
  async function send(method: string, path: string, headers: readonly string[], body = ''): Promise<string> {
    const bytes = rawRequest(use.tenant.key, method, path, headers, body)
    const answer = await sendRaw(use.stack.api.url, bytes, { timeoutMs: 10_000 })
    const code = (lastBody(answer) as Json)?.error?.code as string | undefined
    return [...answer.statuses, ...(code === undefined ? [] : [code])].join(' ')
  }
  const sized = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`
  const rows = async () => [
    await use.stack.db('webhooks').where({ id: webhook.id }).first('secret_sealed', 'deleted_at'),
    await use.stack
      .db('deliveries')
      .where({ webhook_id: webhook.id })
      .select('id', 'attempts', 'max_attempts'),
  ]

  const FAULTY: readonly (readonly [string, string])[] = [
    ['a field', '{"grace":"1h"}'],
    ['cut JSON', '{"grace":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', 'grace=1h'],
    ['a space', ' '],
    ['a field in pieces', '1\r\n{\r\nc\r\n"grace":"1h"\r\n1\r\n}\r\n0\r\n\r\n'],
  ]
  for (const [what, body] of FAULTY)
    // decision: Requests that take no body
    it(`is refused with ${what} and does nothing`, async () => {
      const before = await rows()
      const length = what.endsWith('in pieces') ? 'Transfer-Encoding: chunked' : sized(body)
      for (const [method, path] of ENDPOINTS) {
        const verdict = await send(method, path(webhook.id), [JSON_TYPE, length], body)
        expect([method, path(''), verdict]).to.deep.equal([method, path(''), '400 VALIDATION_ERROR'])
      }
      expect(await rows()).to.deep.equal(before)
    })

  // decision: Requests that take no body
  it('passes with nothing, whatever its Content-Type, and with {}', async () => {
    for (const [method, path] of POSTS) {
      await prepare()
      for (const [headers, body] of [
        [['Content-Length: 0'], ''],
        [['Content-Length: 0', 'Content-Type: text/plain'], ''],
        [['Content-Length: 0', 'Content-Type: nonsense', 'Content-Encoding: zzz'], ''],
        [['Transfer-Encoding: chunked'], '0\r\n\r\n'],
        [['Transfer-Encoding: chunked', 'Content-Type: application/x-www-form-urlencoded'], '0\r\n\r\n'],
        [[JSON_TYPE, 'Content-Length: 2'], '{}'],
        [[JSON_TYPE, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
      ] as const) {
        const verdict = await send(method, path(webhook.id), headers, body)
        // A test event is accepted too, but then finds no worker here.
        expect(verdict, `${path('')} ${headers.join()}`).to.match(/^(200|202|503 SERVICE_UNAVAILABLE)$/)
      }
    }
  })

  it('is the same under its Idempotency-Key with nothing and with {}, and a refused body is not kept', async () => {
    const path = `/api-v1-webhooks/${webhook.id}/regenerate-secret`
    const ask = (body?: object) => use.tenant.request('POST', path, body, { 'Idempotency-Key': 'once' })
    expect((await ask({ grace: '1h' })).status).to.equal(400)
    const [first, again] = [await ask(), await ask({})]
    expect([first.status, again.body]).to.deep.equal([200, first.body])
    expect(again.headers.get('idempotent-replayed')).to.equal('true')
    expect((await ask({ grace: '1h' })).status).to.equal(400)
  })
})
