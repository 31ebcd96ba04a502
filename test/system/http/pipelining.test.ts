import { expect } from 'chai'
import { untilIncludes } from '../../support/poll.ts'
import { lastBody, rawRequest, sendRaw } from '../../support/raw-http.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

describe('requests that share a connection', () => {
  const use = useStack('quiet')

  const raw = (method: string, path: string, headers: readonly string[] = [], body = '') => {
    const type = body === '' ? [] : ['Content-Type: application/json']
    return rawRequest(use.tenant.key, method, path, [...type, ...headers], body)
  }
  const create = () => raw('POST', '/api-v1-webhooks', [], JSON.stringify(WEBHOOK))
  const send = (bytes: string, answers: number) => sendRaw(use.stack.api.url, bytes, { answers })

  const large = () => raw('GET', '/healthz', [`X: ${'a'.repeat(20_000)}`])
  const badChunk = () => `${raw('POST', '/api-v1-contacts', ['Transfer-Encoding: chunked'])}zz\r\n`
  const BAD: readonly (readonly [string, () => string, number, string])[] = [
    ['one without a Host', () => 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['bytes that are no HTTP', () => '\x00\x01garbage\r\n\r\n', 400, 'VALIDATION_ERROR'],
    ['a bad chunk', badChunk, 400, 'VALIDATION_ERROR'],
    ['headers of 20 kB', large, 431, 'HEADERS_TOO_LARGE'],
    ['CONNECT', () => raw('CONNECT', 'example.com:443'), 405, 'METHOD_NOT_ALLOWED'],
  ]
  for (const [what, bytes, status, code] of BAD)
    // decision: Pipelined requests
    it(`answers the requests before ${what}, a secret that is shown once included, and then ${status}`, async () => {
      const answer = await send(raw('GET', '/api-v1-webhooks') + create() + bytes(), 3)
      expect(answer.statuses, answer.text).to.deep.equal([200, 201, status])
      expect(answer.text).to.match(/"secret":"whsec_/)
      const { error } = lastBody(answer) as Json
      expect([error.code, Object.keys(error as object)]).to.deep.equal([code, ['code', 'message']])
    })

  // decision: Pipelined requests
  it('carries out no request that it has refused for the form of its body', async () => {
    const { body } = await use.tenant.request('POST', '/api-v1-webhooks', WEBHOOK)
    const { id } = body.data as { id: string }
    const read = () => use.stack.db('webhooks').where({ id }).first<{ secret_sealed: string }>()
    const before = await read()
    const headers = ['Transfer-Encoding: chunked', `X-Request-Id: ${id}`]
    const answer = await send(`${raw('POST', `/api-v1-webhooks/${id}/regenerate-secret`, headers)}zz\r\n`, 1)
    expect(answer.statuses).to.deep.equal([400])
    await untilIncludes(() => use.stack.api.output(), `"request_id":"${id}"`)
    expect(await read()).to.deep.equal(before)
  })

  // decision: Expect: 100-continue
  it('invites a body only once nothing but the body can be refused', async () => {
    const body = JSON.stringify(WEBHOOK)
    const HEAD = ['POST /api-v1-webhooks HTTP/1.1', 'Host: api', 'Expect: 100-continue']
    const expecting = (headers: readonly string[]) => send([...HEAD, ...headers, '', ''].join('\r\n'), 2)
    const json = 'Content-Type: application/json'
    const key = `Authorization: Bearer ${use.tenant.key}`
    const length = `Content-Length: ${body.length}`
    expect((await expecting([json, length])).statuses).to.deep.equal([401])
    expect((await expecting([key, json, 'Content-Length: 999999'])).statuses).to.deep.equal([413])
    expect((await expecting([key, length])).statuses).to.deep.equal([415])
    const invited = await send(create().replace('Host: api', 'Host: api\r\nExpect: 100-continue'), 2)
    expect(invited.statuses).to.deep.equal([100, 201])
  })

  // decision: Expect: 100-continue
  it('closes a connection on which a body was never invited, and keeps one on which it was', async () => {
    const expectation = ['Expect: 100-continue']
    const refused = await send(raw('POST', '/api-v1-nothing', [...expectation, 'Content-Length: 5']), 2)
    expect(refused.statuses).to.deep.equal([404])
    expect(refused.text).to.match(/connection: close/i)
    const body = JSON.stringify(WEBHOOK)
    const kept = await send(raw('POST', '/api-v1-webhooks', expectation, body) + raw('GET', '/healthz'), 3)
    expect(kept.statuses).to.deep.equal([100, 201, 200])
  })
})
