import { expect } from 'chai'
import fc from 'fast-check'
import { expectDescribed } from '../../support/contract.ts'
import { bytes, rawMessage, request, FAMILIES, headerText } from '../../support/fuzz-requests.ts'
import { lastBody, sendRaw, type RawAnswer } from '../../support/raw-http.ts'
import { createTestTenant, type Json, type TestTenant } from '../../support/tenants.ts'
import { usePart, useStack } from '../../support/use-stack.ts'

/** The total number of cases over the three kinds below. Set FUZZ_CASES=10000 or more for a long run. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 3_000)
const REQUEST_CASES = Math.round(CASES * 0.7)
const MUTATED_CASES = Math.round(CASES * 0.15)
const RAW_CASES = CASES - REQUEST_CASES - MUTATED_CASES

/** The pages that the api serves for people. All other answers are JSON. */
const isPage = ({ status, url }: Response): boolean =>
  status === 200 && /^\/(?:docs(?:\/.*)?)?$/.test(new URL(url).pathname)

/** Limits are off, so that every refusal concerns the request's content. */
const ENVIRONMENT = {
  LOG_LEVEL: 'error',
  WEBHOOKS_PER_TENANT: '100000',
  PUBLISH_PER_MINUTE: '0',
  AUTH_FAILURES_PER_MINUTE: '0',
}

describe(`the API under ${CASES} hostile requests`, function () {
  this.timeout(30 * 60_000)
  const use = useStack('quiet')
  const api = usePart(() => use.stack.startApi(ENVIRONMENT))
  let tenant: TestTenant
  let known: Awaited<ReturnType<typeof makeKnownObjects>>
  const seen = new Map<number, number>()
  const see = (status: number) => seen.set(status, (seen.get(status) ?? 0) + 1)
  let slow: Promise<{ answer: RawAnswer; tookMs: number }>
  before(async () => {
    const startedMs = performance.now()
    slow = sendRaw(api().url, 'GET /api-v1-webhooks HTTP/1.1\r\nHost: a\r\nX-Slow: ', {
      timeoutMs: 20_000,
    }).then((answer) => ({ answer, tookMs: performance.now() - startedMs }))
    tenant = await createTestTenant(use.stack.db, api().url)
    known = await makeKnownObjects(tenant)
  })
  afterEach('is alive and has logged no fault', async () => {
    expect((await fetch(`${api().url}/readyz`)).status).to.equal(200)
    expect(api().output()).to.equal('')
  })

  /** Expects an answer below 500 that /openapi.json describes: a success in JSON, or the error envelope. */
  async function expectSane(method: string, response: Response): Promise<void> {
    const { status, url } = response
    const text = await response.text()
    see(status)
    // Without a worker the api refuses a test event by design.
    if (status !== 503 || !new URL(url).pathname.endsWith('/test')) expect(status, text).to.be.below(500)
    expect(text).to.not.match(/node_modules|\bER_[A-Z]|at [\w.]+ \(/)
    if (text === '' || isPage(response)) return
    expect(response.headers.get('content-type')).to.include('application/json')
    const answer = { status, headers: response.headers, body: JSON.parse(text) as unknown }
    await expectDescribed(url, method, answer)
  }

  it('answers no 5xx to any path, query, header and body', async () => {
    await fc.assert(
      fc.asyncProperty(request(tenant.key), async ({ method, path, query, body, headers }) => {
        const hasBody = method !== 'GET' && method !== 'HEAD'
        const response = await fetch(`${api().url}${known.resolve(path)}${query && `?${query}`}`, {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          ...(hasBody && { body: JSON.stringify(body) }),
        })
        await expectSane(method, response)
        if (method === 'DELETE' && response.status === 200) await known.replaceDeleted(path)
      }),
      { numRuns: REQUEST_CASES, endOnFailure: true },
    )
    expect([...seen.keys()], 'reached').to.include.members([200, 201, 204, 400, 401, 404, 405])
  })

  it('answers no 5xx to bytes in place of JSON', async () => {
    const message = fc.record({
      sent: bytes,
      contentType: fc.oneof(fc.constant('application/json'), headerText),
      coding: fc.constantFrom('identity', 'gzip', 'br', 'deflate', 'zstd', ''),
      family: fc.constantFrom(...FAMILIES),
    })
    await fc.assert(
      fc.asyncProperty(message, async ({ sent, contentType, coding, family }) => {
        const response = await fetch(`${api().url}/api-v1-${family}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${tenant.key}`,
            'content-type': contentType,
            ...(coding && { 'content-encoding': coding }),
          },
          body: sent,
        })
        await expectSane('POST', response)
      }),
      { numRuns: MUTATED_CASES, endOnFailure: true },
    )
  })

  it('answers no 5xx to malformed HTTP and stays up', async function () {
    const message = rawMessage(tenant.key)
    await fc.assert(
      fc.asyncProperty(message, async (sent) => {
        const { statuses, text } = await sendRaw(api().url, sent, { timeoutMs: 500, end: true })
        for (const status of statuses) {
          see(status)
          expect(status, text).to.be.below(500)
        }
      }),
      { numRuns: RAW_CASES, endOnFailure: true },
    )
    const figures = [...seen].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
    this.runnable().title += ` (${figures.join(', ')})`
  })

  // The other requests have passed this time by then.
  it('answers 408 to headers that do not arrive, and lets go of the connection', async () => {
    const { answer, tookMs } = await slow
    const { error } = lastBody(answer) as Json
    expect(answer.statuses).to.deep.equal([408])
    expect(error).to.have.all.keys('code', 'message').and.include({ code: 'REQUEST_TIMEOUT' })
    // Without this answer, sendRaw would have waited longer.
    expect(tookMs).to.be.at.least(9_000)
  })
})

const WEBHOOK = { name: 'known', url: 'https://example.com/hook', events: ['deal.deleted'] }
const BODIES: Readonly<Record<string, object>> = {
  contacts: { name: 'known' },
  organizations: { name: 'known' },
  deals: { name: 'known' },
  activities: { type: 'call', subject: 'known' },
  tasks: { name: 'known' },
}

/** One object of every kind, so that requests get past the 404. */
async function makeKnownObjects(tenant: TestTenant) {
  const ids = new Map<string, string>()
  async function post(path: string, sent: object): Promise<string> {
    const { status, body } = await tenant.request('POST', path, sent)
    if (status !== 201 && status !== 202) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body.data.id as string
  }
  const makeRecord = async (family: string) => {
    ids.set(family, await post(`/api-v1-${family}`, BODIES[family]!))
  }
  /** A webhook with a delivery, which stays pending because no worker runs. */
  async function makeWebhook(): Promise<void> {
    const id = await post('/api-v1-webhooks', WEBHOOK)
    ids.set('webhooks', id)
    ids.set('events', await post('/api-v1-events', { event: 'deal.deleted', data: {} }))
    const { body } = await tenant.request('GET', `/api-v1-webhooks/${id}/deliveries`)
    ids.set('deliveries', body.data[0].id as string)
    ids.set('recoveries', await post(`/api-v1-webhooks/${id}/recover`, { since: '2020-01-01T00:00:00Z' }))
  }
  await makeWebhook()
  for (const family of Object.keys(BODIES)) await makeRecord(family)
  return {
    /** The path with real ids for `KNOWN_webhooks`, `KNOWN_deliveries`, `KNOWN_contacts` and so on. */
    resolve: (path: string): string =>
      path.replaceAll(/KNOWN_(\w+)/g, (_, kind: string) => ids.get(kind) ?? ''),
    /** Replaces the object that a DELETE of the (unresolved) path has removed. */
    async replaceDeleted(path: string): Promise<void> {
      const [, family = ''] = /KNOWN_(\w+)$/.exec(path) ?? []
      if (family === 'webhooks') await makeWebhook()
      else if (family in BODIES) await makeRecord(family)
    },
  }
}
