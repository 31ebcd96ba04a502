import { networkInterfaces } from 'node:os'
import { expect } from 'chai'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

/** Some containers have no IPv6 at all, not even on the loopback. */
const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
)

describe('spec, IP allowlist, over HTTP', () => {
  const use = useStack('proxied')
  /** Another process on the same database, which trusts no proxy. */
  const direct = useStack('quiet')
  const its = useKeys(() => use.stack)

  /** A request that reaches the api through its trusted proxy. */
  const callFrom = (secret: string, forwardedFor: string) =>
    its.callWith(secret, { headers: { 'x-forwarded-for': forwardedFor } })

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
})
