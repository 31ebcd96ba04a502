import { expect } from 'chai'
import { until } from '../../support/poll.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { clientOf } from '../../support/tenants.ts'
import { useKeys } from '../../support/use-keys.ts'
import { withApi, usePart, useStack } from '../../support/use-stack.ts'

/** Events that a company may publish in a minute. */
const PUBLISHED = 100

describe('limits of keys, of failed authentication and of publishes, over HTTP', () => {
  const use = useStack('quiet')
  const limits = { RATE_LIMIT_PER_MINUTE: '3', AUTH_FAILURES_PER_MINUTE: '3' }
  const settings = { ...limits, PUBLISH_PER_MINUTE: String(PUBLISHED), TRUSTED_PROXIES: '127.0.0.1' }
  const limited = usePart(() => use.stack.startApi(settings))
  const its = useKeys(() => withApi(use.stack, limited()))

  let addresses = 0
  /** A new address for each test, because failures are counted per address. */
  const freshAddress = () => `203.0.113.${++addresses}`
  const from = (address: string, authorization: string) =>
    its.call({ headers: { 'x-forwarded-for': address, authorization } })

  // decision: Rate limits
  it('answers 429 RATE_LIMITED beyond the limit of a key, and shows the quota on every answer', async () => {
    const { secret } = await its.keyring.create()
    for (const left of [2, 1, 0]) {
      const { verdict, headers } = await its.callWith(secret)
      expect(verdict).to.equal('200')
      expect(headers.get('ratelimit-policy')).to.equal('"default";q=3;w=60')
      expect(headers.get('ratelimit')).to.match(new RegExp(`^"default";r=${left};t=([1-9]|[1-5]\\d|60)$`))
    }
    const { verdict, headers } = await its.callWith(secret)
    expect(verdict).to.equal('429 RATE_LIMITED')
    const [, resetS] = /^"default";r=0;t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
    expect(Number(headers.get('retry-after')))
      .to.be.at.least(Number(resetS))
      .and.at.most(60)
  })

  // decision: The key that asks
  it('tells a key of any scope at GET /api-v1-me what it is and what is left of its limit', async () => {
    const [userId, expiresAt] = [await its.keyring.user(), new Date('2099-01-01')]
    const { id, secret } = await its.keyring.create({ scopes: ['read:tasks'], userId, expiresAt }, 'test')
    const address = freshAddress()
    const ask = async (url?: string) => {
      const headers = { 'x-forwarded-for': address }
      const { text } = await its.callWith(secret, { path: '/api-v1-me', headers, ...(url && { url }) })
      return JSON.parse(text).data
    }
    const { rate_limit: quota, ...shown } = await ask()
    const company = { id: its.keyring.companyId, name: 'Test company' }
    const owner = { company, user_id: userId, name: 'test key', type: 'Personal', environment: 'test' }
    const rights = {
      scopes: ['read:tasks'],
      prefix: secret.slice(0, 24),
      expires_at: expiresAt.toISOString(),
    }
    expect(shown).to.deep.equal({ id, ...owner, ...rights, ip: address })
    expect(quota).to.include({ limit: 3, remaining: 2 })
    expect(quota.reset).to.be.within(1, 60)
    expect((await ask()).rate_limit.remaining).to.equal(1)
    // This api has no limit, and trusts no proxy.
    expect(await ask(use.stack.api.url)).to.include({ rate_limit: null, ip: '127.0.0.1' })
  })

  it('spends none of the owner’s quota on calls that allowlist or scope refuse', async () => {
    const { secret } = await its.keyring.create({ scopes: ['read:webhooks'], ipAllowlist: ['192.0.2.1'] })
    const own = { headers: { 'x-forwarded-for': '192.0.2.1' } }
    for (let call = 0; call < 5; call++) {
      expect((await its.callWith(secret)).verdict).to.equal('403 IP_NOT_ALLOWED')
      const post = { ...own, method: 'POST' }
      expect((await its.callWith(secret, post)).verdict).to.equal('403 INSUFFICIENT_PERMISSIONS')
    }
    expect((await its.callWith(secret, own)).headers.get('ratelimit')).to.match(/^"default";r=2;/)
  })

  it('answers 429 in place of 401 to an address with too many failures, of any kind', async () => {
    const revoked = await its.keyring.create()
    await its.keyring.revoke(revoked.id)
    const address = freshAddress()
    expect((await from(address, '')).verdict).to.equal('401 UNAUTHORIZED')
    expect((await from(address, 'Bearer x')).verdict).to.equal('401 INVALID_API_KEY')
    expect((await from(address, `Bearer ${revoked.secret}`)).verdict).to.equal('401 API_KEY_REVOKED')
    for (const authorization of ['', 'Bearer x', `Bearer ${revoked.secret}`]) {
      const { verdict, headers } = await from(address, authorization)
      expect(verdict).to.equal('429 RATE_LIMITED')
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
    }
    expect((await from(freshAddress(), 'Bearer x')).verdict).to.equal('401 INVALID_API_KEY')
  })

  // decision: Refusals of an address beyond `AUTH_FAILURES_PER_MINUTE` come 500 ms late
  it('answers a valid key of that address at once, while a hundred refusals are still to come', async () => {
    const address = freshAddress()
    const { secret } = await its.keyring.create()
    for (let failures = 0; failures < 3; failures++) await from(address, 'Bearer x')
    let refused = 0
    const refuse = () => from(address, 'Bearer x').finally(() => refused++)
    const refusals = Array.from({ length: 100 }, refuse)
    expect((await from(address, `Bearer ${secret}`)).verdict).to.equal('200')
    // This request came last. A busy machine may answer it after the first refusals but before the latest ones.
    expect(refused).to.be.below(100)
    const verdicts = (await Promise.all(refusals)).map((refused) => refused.verdict)
    expect(new Set(verdicts)).to.deep.equal(new Set(['429 RATE_LIMITED']))
  })

  // decision: Refusals of an address beyond `AUTH_FAILURES_PER_MINUTE` come 500 ms late
  it('ends the connection with a late refusal, and carries out nothing that came behind it', async () => {
    const request = `GET /api-v1-webhooks HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${freshAddress()}\r\n\r\n`
    const { statuses, text } = await sendRaw(limited().url, request.repeat(50), { answers: 50 })
    expect(statuses).to.deep.equal([401, 401, 401, 429])
    expect(text).to.match(/connection: close/i)
  })

  // decision: Publish quota
  it('answers 429 to batches, events and records alike beyond the quota of the company, until the minute ends', async () => {
    const event = { event: 'contact.created', data: {} }
    const batch = { events: Array.from({ length: PUBLISHED }, () => event) }
    /** Posts with a new key each time, so that no limit of a key refuses the request. */
    const ask = async (path: string, body: object) =>
      clientOf(limited().url, (await its.keyring.create()).secret)('POST', path, body)
    expect((await ask('/api-v1-events', batch)).status).to.equal(201)
    for (const [path, body] of [
      ['/api-v1-events', batch],
      ['/api-v1-events', event],
      ['/api-v1-contacts', { name: 'Ada' }],
    ] as const) {
      // A new minute may begin here.
      const isRefused = ({ status }: { status: number }) => status === 429
      const { body: refused, headers } = await until(() => ask(path, body), isRefused)
      expect(refused.error.message).to.equal(`The company may publish ${PUBLISHED} events a minute.`)
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
    }
  })
})
