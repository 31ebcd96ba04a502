import { networkInterfaces } from 'node:os'
import { expect } from 'chai'
import { showRecentUse } from '../../../src/operations/key/read.ts'
import type { TestKey } from '../../support/use-operations.ts'
import { until, untilAtLeast } from '../../support/poll.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

/** Some containers have no IPv6, not even on loopback. */
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
)

describe('spec, IP allowlist and usage of an API key, over HTTP', () => {
  const use = useStack('proxied')
  /** Another api process on the same database, which trusts no proxy. */
  const direct = useStack('quiet')
  const its = useKeys(() => use.stack)

  /** A request to the api through its trusted proxy. */
  const callFrom = (secret: string, forwardedFor: string, path = '/api-v1-webhooks') =>
    its.callWith(secret, { path, headers: { 'x-forwarded-for': forwardedFor } })

  it('believes only what its own proxies added: an address forged further left counts for nothing', async () => {
    const { secret } = await its.keyring.create({ ipAllowlist: ['203.0.113.7'] })
    expect((await callFrom(secret, '203.0.113.7, 198.51.100.4')).verdict).to.equal('200')
    const forged = await callFrom(secret, '203.0.113.7, 192.0.2.66, 198.51.100.4')
    expect(forged.verdict).to.equal('403 IP_NOT_ALLOWED')
    expect(forged.message).to.include('192.0.2.66')
  })

  if (hasIpv6) {
    it('takes an IPv6 peer address as it is', async () => {
      const api = await its.stack.startApi({ HOST: '::1' })
      try {
        const { secret } = await its.keyring.create({ ipAllowlist: ['::1'] })
        const url = api.url.replace('127.0.0.1', '[::1]')
        expect((await its.callWith(secret, { url })).verdict).to.equal('200')
      } finally {
        await api.stop()
      }
    })
  }

  it('lets a changed list hold with the next request, on every process', async () => {
    const { id, secret } = await its.keyring.create()
    expect((await callFrom(secret, '192.0.2.1')).verdict).to.equal('200')
    await its.keyring.change(id, { ipAllowlist: ['203.0.113.7'] })
    for (const url of [its.stack.api.url, direct.stack.api.url])
      expect((await its.callWith(secret, { url })).verdict).to.equal('403 IP_NOT_ALLOWED')
    await its.keyring.change(id, { ipAllowlist: [] })
    expect((await callFrom(secret, '192.0.2.1')).verdict).to.equal('200')
  })

  const show = ({ id }: TestKey) => its.keyring.show(id)
  const countOf = async (key: TestKey) => (await show(key)).key.requestCount
  const untilCounted = (key: TestKey, requests: number) =>
    untilAtLeast(() => countOf(key), requests, { what: `${requests} counted requests` })

  it('counts every request that passes the key-state checks, whatever its later answer, and no other', async () => {
    const key = await its.keyring.create({ scopes: ['read:deals'], ipAllowlist: ['203.0.113.1'] })
    const from = (address: string, path?: string) => callFrom(key.secret, address, path)
    expect((await from('203.0.113.9')).status).to.equal(403)
    expect((await from('203.0.113.1')).status).to.equal(403)
    expect((await from('203.0.113.1', '/api-v1-nothing')).status).to.equal(404)
    await untilCounted(key, 3)
    const shown = await show(key)
    expect(shown.key).to.include({ requestCount: 3, lastUsedIp: '203.0.113.1' })
    expect(shown.usage).to.deep.include({ day: 3, week: 3, month: 3 })
    const use = () => showRecentUse(its.stack, { ...key, companyId: its.keyring.companyId })
    const { daily, ...recent } = await until(use, ({ daily }) => daily.at(-1)?.responses4xx === 3)
    expect(daily.at(-1)).to.include({ requests: 3, responses2xx: 0, responses5xx: 0 })
    expect(recent.lastHour).to.equal(3)
    // No route ran for the refused address, and a path that no route serves is not recorded.
    const endpoints = recent.endpoints.map(({ method, path }) => `${method} ${path}`)
    expect(endpoints).to.deep.equal(['GET /api-v1-webhooks'])
    expect(recent.addresses.map(({ address }) => address)).to.deep.equal(['203.0.113.1', '203.0.113.9'])
    await its.stack.db('api_keys').where({ id: key.id }).update({ is_active: false })
    expect((await from('203.0.113.1')).status).to.equal(401)
    const other = await its.keyring.create()
    await its.callWith(other.secret)
    await untilCounted(other, 1)
    expect(await countOf(key)).to.equal(3)
  })
})
