import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { expectDescribed } from '../../support/contract.ts'
import { lastBody, rawRequest, sendRaw } from '../../support/raw-http.ts'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const CONTACTS = '/api-v1-contacts'
const WEBHOOKS = '/api-v1-webhooks'

describe('the edge of HTTP', () => {
  const use = useStack('quiet')

  const raw = (method: string, path: string, headers?: readonly string[], body?: string) =>
    rawRequest(use.tenant.key, method, path, headers, body)

  async function post(headers: Record<string, string>, sent: string | Buffer) {
    const response = await fetch(`${use.stack.api.url}${CONTACTS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${use.tenant.key}`, ...headers },
      body: sent as never,
    })
    const { status, headers: given } = response
    const answer = { status, headers: given, body: (await response.json()) as Json }
    await expectDescribed(response.url, 'POST', answer)
    return answer
  }
  const JSON_TYPE = { 'content-type': 'application/json' }

  function expectEnvelope(status: number | undefined, body: unknown, verdict: string): void {
    const { error } = body as Json
    expect(Object.keys(body as object)).to.deep.equal(['error'])
    expect(Object.keys(error as object)).to.have.members(['code', 'message'])
    expect(`${status} ${error.code}`).to.equal(verdict)
    expect(error.message).to.not.match(/node_modules|at \w+ \(|ER_|SELECT/)
  }

  const BAD = '400 VALIDATION_ERROR'
  const TOO_LARGE = '413 PAYLOAD_TOO_LARGE'
  const UNSUPPORTED = '415 UNSUPPORTED_MEDIA_TYPE'
  const encoded = (coding: string) => ({ ...JSON_TYPE, 'content-encoding': coding })
  const deep = `{"name":"a","custom":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
  const wide = `{"name":"a","custom":{"a":[${Array(30_000).fill(0).join()}]}}`
  const BODIES: [string, Record<string, string>, string | Buffer, string][] = [
    ['a text body', { 'content-type': 'text/plain' }, '{"name":"a"}', UNSUPPORTED],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'name=a', UNSUPPORTED],
    ['an almost JSON type', { 'content-type': 'application/jsonp' }, '{"name":"a"}', UNSUPPORTED],
    ['an empty body', JSON_TYPE, '', BAD],
    ['cut JSON', JSON_TYPE, '{"name":', BAD],
    ['two documents', JSON_TYPE, '{}{}', BAD],
    ['an array', JSON_TYPE, '[]', BAD],
    ['a scalar', JSON_TYPE, '1', BAD],
    ['null', JSON_TYPE, 'null', BAD],
    ['constructor', JSON_TYPE, '{"name":"a","constructor":{}}', BAD],
    ['depth of 100,000', JSON_TYPE, deep, BAD],
    ['30,000 values', JSON_TYPE, wide, BAD],
    ['a body over the limit', JSON_TYPE, `{"name":"${'a'.repeat(262_144)}"}`, TOO_LARGE],
    ['a bomb of zeros', encoded('gzip'), gzipSync(Buffer.alloc(50_000_000, 32)), TOO_LARGE],
    ['broken gzip', encoded('gzip'), 'not gzip', BAD],
    ['broken brotli', encoded('br'), 'not brotli', BAD],
    ['an unknown encoding', encoded('zzz'), '{}', UNSUPPORTED],
  ]
  for (const [what, headers, body, verdict] of BODIES)
    it(`answers ${verdict} to ${what}`, async () => {
      const answer = await post(headers, body)
      expectEnvelope(answer.status, answer.body, verdict)
    })

  // decision: JSON
  it('takes JSON of 32 levels and not of 33', async () => {
    const nested = (levels: number) =>
      `{"name":"a","custom":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
    expect((await post(JSON_TYPE, nested(30))).status).to.equal(201)
    expect((await post(JSON_TYPE, nested(31))).status).to.equal(400)
  })

  const NOT_FOUND = '404 NOT_FOUND'
  const NOT_ALLOWED = '405 METHOD_NOT_ALLOWED'
  const SIZED_TWICE = ['Content-Length: 2', 'Transfer-Encoding: chunked']
  const KEYED_TWICE = ['Content-Type: application/json', 'Idempotency-Key: a', 'Idempotency-Key: b']
  /** pipelining.test.ts covers a missing Host or HTTP version, a bad chunk, 20 kB of headers, and CONNECT. */
  const RAW: [string, () => string, string][] = [
    ['two Hosts', () => raw('GET', WEBHOOKS, ['Host: b']), BAD],
    ['two lengths', () => raw('POST', CONTACTS, ['Content-Length: 2', 'Content-Length: 3'], '{}'), BAD],
    ['length and chunks at once', () => raw('POST', CONTACTS, SIZED_TWICE, '0\r\n\r\n'), BAD],
    ['a bad length', () => raw('POST', CONTACTS, ['Content-Length: -1'], '{}'), BAD],
    ['a header with a bare line feed', () => raw('GET', WEBHOOKS, ['X: a\nb: c\x00']), BAD],
    ['TRACE', () => raw('TRACE', WEBHOOKS), NOT_ALLOWED],
    ['an unknown method', () => raw('BREW', WEBHOOKS), BAD],
    ['PUT', () => raw('PUT', WEBHOOKS), NOT_ALLOWED],
    ['a path of percent signs', () => raw('GET', `${WEBHOOKS}/%E0%A4%A`), NOT_FOUND],
    ['an encoded path', () => raw('GET', '/%61pi-v1-webhooks'), NOT_FOUND],
    ['a doubled slash', () => raw('GET', `/${WEBHOOKS}`), NOT_FOUND],
    ['a slash at the end', () => raw('GET', `${WEBHOOKS}/`), NOT_FOUND],
    ['two keys', () => raw('GET', WEBHOOKS, ['Authorization: Bearer x']), '401 INVALID_API_KEY'],
    ['a repeated query name', () => raw('GET', `${WEBHOOKS}?page=1&page=2`), BAD],
    ['an unknown query name', () => raw('GET', `${WEBHOOKS}?pgae=1`), BAD],
    ['a repeated Idempotency-Key', () => raw('POST', CONTACTS, KEYED_TWICE, '{"name":"a"}'), BAD],
  ]
  for (const [what, request, verdict] of RAW)
    // decision: Paths are exact
    it(`answers ${verdict} to ${what}`, async () => {
      const answer = await sendRaw(use.stack.api.url, request())
      expect(answer.statuses, answer.text).to.have.length(1)
      expectEnvelope(answer.statuses[0], lastBody(answer), verdict)
      expect(answer.text)
        .to.match(/x-request-id: /i)
        .and.match(/x-content-type-options: nosniff/i)
    })

  it('answers the next request of a connection whose body could not be decoded', async () => {
    for (const encoding of ['deflate', 'gzip', 'br']) {
      const headers = ['Content-Type: application/json', `Content-Encoding: ${encoding}`]
      const bytes = raw('POST', CONTACTS, headers, 'x'.repeat(60_000)) + raw('GET', '/api-v1-webhooks')
      const answer = await sendRaw(use.stack.api.url, bytes, { answers: 2 })
      expect(answer.statuses, encoding).to.deep.equal([400, 200])
    }
  })

  it('ignores an expectation that it does not know', async () => {
    const answer = await sendRaw(use.stack.api.url, raw('GET', '/api-v1-webhooks', ['Expect: wonders']))
    expect(answer.statuses).to.deep.equal([200])
  })

  it('answers HEAD like GET without a body, and OPTIONS with what is allowed', async () => {
    const head = await use.tenant.request('HEAD', '/api-v1-webhooks')
    expect([head.status, head.body]).to.deep.equal([200, undefined])
    const options = await use.tenant.request('OPTIONS', '/api-v1-webhooks/whk_x')
    expect(options.status).to.equal(204)
    expect(options.headers.get('allow')).to.equal('HEAD, GET, PATCH, DELETE, OPTIONS')
    expect(options.headers.get('access-control-allow-origin')).to.equal(null)
  })

  it('keeps a request id that is well-formed and replaces any other', async () => {
    const given = async (id: string) =>
      (await use.tenant.request('GET', '/api-v1-webhooks', undefined, { 'X-Request-Id': id })).headers.get(
        'x-request-id',
      )
    expect(await given('req-1_a.b')).to.equal('req-1_a.b')
    expect(await given('a b')).to.match(/^[0-9a-f-]{36}$/)
    expect(await given('a'.repeat(65))).to.match(/^[0-9a-f-]{36}$/)
  })
})
