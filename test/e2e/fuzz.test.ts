import { expect } from 'chai'
import fc from 'fast-check'
import { body, bytes, FAMILIES, headerText, path, query, rawMessage } from '../support/fuzz.js'
import { sendRaw } from '../support/raw-http.js'
import { startStack, type Stack } from '../support/stack.js'
import type { TestTenant } from '../support/tenants.js'

/** Cases in all, over the three kinds below. FUZZ_CASES=100000 for a long run. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 10_000)
const METHODS = [
  ...Array<string>(6).fill('POST'),
  ...Array<string>(4).fill('PATCH'),
  'GET',
  'GET',
  'DELETE',
  'PUT',
  'OPTIONS',
  'HEAD',
]
const REQUEST_CASES = Math.round(CASES * 0.7)
const MUTATED_CASES = Math.round(CASES * 0.15)
const RAW_CASES = CASES - REQUEST_CASES - MUTATED_CASES

describe(`the API under ${CASES} hostile requests`, function () {
  this.timeout(30 * 60_000)
  let stack: Stack
  let tenant: TestTenant
  const seen = new Map<number, number>()
  before(async () => {
    stack = await startStack({
      workers: 0,
      environment: { LOG_LEVEL: 'error', WEBHOOKS_PER_TENANT: '100000' },
    })
    tenant = await stack.tenant()
  })
  after(() => stack.stop())
  afterEach('is alive and has logged no fault', async () => {
    expect((await fetch(`${stack.api.url}/readyz`)).status).to.equal(200)
    expect(stack.api.output()).to.equal('')
  })

  /** An answer below 500 in the envelope, or a success in JSON. */
  function expectSane(status: number, text: string, type: string | null): void {
    seen.set(status, (seen.get(status) ?? 0) + 1)
    expect(status, text).to.be.below(500)
    if (text === '') return
    expect(type).to.include('application/json')
    const answer = JSON.parse(text) as { error?: object }
    if (status < 400) return
    expect(Object.keys(answer)).to.deep.equal(['error'])
    expect(Object.keys(answer.error ?? {}).sort()).to.deep.equal(['code', 'message'])
    expect(text).to.not.match(/node_modules|\bER_[A-Z]|at [\w.]+ \(/)
  }

  async function knownId(): Promise<string> {
    const { body: created } = await tenant.request('POST', '/api-v1-webhooks', {
      name: 'known',
      url: 'https://example.com/hook',
      events: ['contact.deleted'],
    })
    return created.data.id as string
  }

  it('answers no 5xx to any path, query, header and body', async () => {
    let known = await knownId()
    const request = fc.record({
      method: fc.constantFrom(...METHODS),
      path,
      query: fc.oneof(fc.constant(''), query),
      body,
      headers: fc.record(
        {
          'idempotency-key': headerText,
          'if-match': headerText,
          'x-request-id': headerText,
          'x-forwarded-for': headerText,
        },
        { requiredKeys: [] },
      ),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path: template, query: search, body: sent, headers }) => {
        // Test events wait for a worker, and none runs here.
        if (method === 'DELETE') known = await knownId()
        const where = template.replaceAll('KNOWN', known)
        const hasBody = method !== 'GET' && method !== 'HEAD'
        const response = await fetch(`${stack.api.url}${where}${search && `?${search}`}`, {
          method,
          headers: { ...headers, authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
          ...(hasBody && { body: JSON.stringify(sent) }),
        })
        const text = await response.text()
        if (response.status === 503 && where.endsWith('/test')) return
        expectSane(response.status, text, response.headers.get('content-type'))
      }),
      { numRuns: REQUEST_CASES, endOnFailure: true },
    )
  })

  it('answers no 5xx to bytes in place of JSON', async () => {
    const type = fc.oneof(fc.constant('application/json'), headerText)
    const encoding = fc.constantFrom('identity', 'gzip', 'br', 'deflate', 'zstd', '')
    await fc.assert(
      fc.asyncProperty(
        bytes,
        type,
        encoding,
        fc.constantFrom(...FAMILIES),
        async (sent, contentType, coding, family) => {
          const response = await fetch(`${stack.api.url}/api-v1-${family}`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${tenant.key}`,
              'content-type': contentType,
              ...(coding && { 'content-encoding': coding }),
            },
            body: sent,
          })
          expectSane(response.status, await response.text(), response.headers.get('content-type'))
        },
      ),
      { numRuns: MUTATED_CASES, endOnFailure: true },
    )
  })

  it('answers no 5xx to malformed HTTP and stays up', async () => {
    const message = rawMessage(tenant.key)
    await fc.assert(
      fc.asyncProperty(message, async (bytes) => {
        const { statuses, text } = await sendRaw(stack.api.url, bytes, { timeoutMs: 500, end: true })
        for (const status of statuses) {
          seen.set(status, (seen.get(status) ?? 0) + 1)
          expect(status, text).to.be.below(500)
        }
      }),
      { numRuns: RAW_CASES, endOnFailure: true },
    )
  })

  it('reached successes as well as refusals', () => {
    for (const status of [200, 201, 204, 400, 404, 405, 415])
      expect(seen.get(status), `${status}`).to.be.above(0)
  })
})
