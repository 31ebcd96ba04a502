import { expect } from 'chai'
import { newApiKey } from '../../../src/domain/key/key.ts'
import type { TestKey } from '../../support/use-operations.ts'
import { type CallInit, useKeys } from '../../support/use-keys.ts'
import { withApi, usePart, useStack } from '../../support/use-stack.ts'

/** The order of the checks that one PATCH can fail, written by hand a second time. */
const ORDER = [
  ['no-key', '401 UNAUTHORIZED'],
  ['malformed', '401 INVALID_API_KEY'],
  ['unknown', '401 INVALID_API_KEY'],
  ['revoked', '401 API_KEY_REVOKED'],
  ['expired', '401 API_KEY_EXPIRED'],
  ['disabled', '401 API_KEY_DISABLED'],
  ['suspended', '401 API_KEY_DISABLED'],
  ['address', '403 IP_NOT_ALLOWED'],
  ['route', '404 NOT_FOUND'],
  ['method', '405 METHOD_NOT_ALLOWED'],
  ['scope', '403 INSUFFICIENT_PERMISSIONS'],
  ['rate', '429 RATE_LIMITED'],
  ['too-large', '413 PAYLOAD_TOO_LARGE'],
  ['media-type', '415 UNSUPPORTED_MEDIA_TYPE'],
  ['syntax', '400 VALIDATION_ERROR'],
  ['object', '404 NOT_FOUND'],
  ['fields', '400 VALIDATION_ERROR'],
] as const

type Condition = (typeof ORDER)[number][0]

/** The key row's columns for each state. One row can be in many states at once. */
const ROWS: Partial<Record<Condition, Record<string, unknown>>> = {
  revoked: { revoked_at: new Date('2020-01-01'), revoked_reason: 'revoked' },
  expired: { expires_at: new Date('2020-01-01') },
  disabled: { is_active: false },
  address: { ip_allowlist: '["192.0.2.1"]' },
  scope: { scopes: '["read:webhooks","write:deals"]' },
}

describe('the order of checks, over HTTP', () => {
  const use = useStack('quiet')
  const limited = usePart(() =>
    use.stack.startApi({ RATE_LIMIT_PER_MINUTE: '1', AUTH_FAILURES_PER_MINUTE: '0' }),
  )
  const its = useKeys(() => withApi(use.stack, limited()))
  let webhookId: string
  before(async () => {
    const { secret } = await its.keyring.create()
    const body = JSON.stringify({ name: 'x', url: 'https://example.com/', events: ['deal.created'] })
    const headers = { 'content-type': 'application/json' }
    const { text } = await its.callWith(secret, { method: 'POST', headers, body })
    webhookId = (JSON.parse(text) as { data: { id: string } }).data.id
  })

  /** A key that meets these failing conditions. */
  async function keyThat(failing: ReadonlySet<Condition>): Promise<TestKey> {
    const suspend = (suspended_at: Date | null) =>
      its.stack.db('companies').where({ id: its.keyring.companyId }).update({ suspended_at })
    await suspend(null)
    const key = await its.keyring.create()
    if (failing.has('rate')) expect((await its.callWith(key.secret)).verdict).to.equal('200')
    if (failing.has('suspended')) await suspend(new Date())
    const columns = Object.entries(ROWS).filter(([name]) => failing.has(name as Condition))
    const row = Object.assign({}, ...columns.map(([, one]) => one)) as object
    if (columns.length > 0) await its.stack.set('api_keys', { id: key.id }, row)
    return key
  }

  function requestThat(failing: ReadonlySet<Condition>, { secret }: TestKey): CallInit {
    const id = failing.has('object') ? 'whk_00000000-0000-4000-8000-000000000000' : webhookId
    const collection = failing.has('route') ? '/api-v1-nothing' : '/api-v1-webhooks'
    const sent = failing.has('fields') ? '{"max_retries":"many"}' : '{"max_retries":3}'
    const text = failing.has('syntax') ? sent.slice(0, -1) : sent
    return {
      method: failing.has('method') ? 'PUT' : 'PATCH',
      path: `${collection}/${id}`,
      headers: {
        ...(!failing.has('no-key') && { authorization: `Bearer ${keyTextFor(failing, secret)}` }),
        'content-type': failing.has('media-type') ? 'text/plain' : 'application/json',
      },
      body: failing.has('too-large') ? text.padEnd(300 * 1024) : text,
    }
  }

  function keyTextFor(failing: ReadonlySet<Condition>, secret: string): string {
    if (failing.has('malformed')) return 'malformed'
    return failing.has('unknown') ? newApiKey('salesdata', 'live') : secret
  }

  async function check(conditions: readonly Condition[]): Promise<void> {
    const failing = new Set(conditions)
    const key = await keyThat(failing)
    const { verdict } = await its.call(requestThat(failing, key))
    const expected = ORDER.find(([name]) => failing.has(name))?.[1] ?? '200'
    expect(verdict, conditions.join(', ')).to.equal(expected)
  }

  const NAMES = ORDER.map(([name]) => name)

  it('answers a request that fails none with 200', () => check([]))

  for (const [index, first] of NAMES.entries())
    // decision: Order of the checks
    // decision: Unknown paths
    it(`answers ${first} with its own code, alone and beside each later condition`, async () => {
      await check([first])
      for (const second of NAMES.slice(index + 1)) await check([second, first])
    })
})
