import { expect } from 'chai'
import type { TestKey } from '../../support/keyring.ts'
import { showRecentUse } from '../../../src/operations/key/recent-use.ts'
import { until, untilAtLeast } from '../../support/poll.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

describe('spec, usage of an API key, over HTTP', () => {
  const use = useStack('proxied')
  const its = useKeys(() => use.stack)

  const show = ({ id }: TestKey) => its.keyring.show(id)
  const countOf = async (key: TestKey) => (await show(key)).key.requestCount
  const untilCounted = (key: TestKey, requests: number) =>
    untilAtLeast(() => countOf(key), requests, { what: `${requests} counted requests` })

  it('counts every request that passes the key-state checks, whatever its later answer, and no other', async () => {
    const key = await its.keyring.create({ scopes: ['read:deals'], ipAllowlist: ['203.0.113.1'] })
    const from = (address: string, path?: string) =>
      its.callWith(key.secret, {
        headers: { 'x-forwarded-for': address },
        ...(path !== undefined && { path }),
      })
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
    // The refused address called no route, and a path that no route serves is not written down.
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
