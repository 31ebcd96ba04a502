import { expect } from 'chai'
import fc from 'fast-check'
import * as apiKeys from '../../../../src/domain/key/key.ts'
import { ENVIRONMENTS } from '../../../../src/domain/tenant.ts'
import { words } from '../../../support/words.ts'

const { checkKeyChange, hashApiKey, isWellFormedKey, keyPrefixOf, keyState, newApiKey } = apiKeys

describe('API keys', () => {
  const random32 = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345'

  it('have the form that isWellFormedKey accepts, with every permitted service prefix', () => {
    const servicePrefixes = fc.stringMatching(/^[a-z0-9]{3,24}$/)
    fc.assert(
      fc.property(servicePrefixes, fc.constantFrom(...ENVIRONMENTS), (servicePrefix, environment) => {
        const key = newApiKey(servicePrefix, environment)
        expect(key.startsWith(`${servicePrefix}_${environment}_`)).to.equal(true)
        expect(key.slice(-33)).to.match(/^_[A-Za-z0-9]{32}$/)
        expect(isWellFormedKey(key)).to.equal(true)
      }),
    )
  })

  it('are never made with a service prefix that would not be read back', () => {
    for (const servicePrefix of ['', 'ab', 'Sales', 'sales_data', 'a'.repeat(25)])
      expect(() => newApiKey(servicePrefix, 'live'), servicePrefix).to.throw(RangeError, '3 to 24 lower-case')
  })

  it('draw all 62 characters alike (chi-squared over 6,000 keys; byte % 62 would give a thousand)', () => {
    const counts = new Map<string, number>()
    for (let index = 0; index < 6_000; index += 1)
      for (const character of newApiKey('abc', 'live').slice(-32))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    const expected = (6_000 * 32) / 62
    let chiSquared = 0
    for (const count of counts.values()) chiSquared += (count - expected) ** 2 / expected
    expect(counts.size).to.equal(62)
    // 61 degrees of freedom: a fair draw exceeds 140 less than once in ten million runs.
    expect(chiSquared).to.be.below(140)
  })

  // decision: Service prefix
  it('leave at least 128 random bits behind the 24 kept characters with the default service prefix, and are hashed with SHA-256', () => {
    const key = `salesdata_live_${random32}`
    expect(keyPrefixOf(key)).to.equal('salesdata_live_AbCdEfGhI')
    expect((key.length - keyPrefixOf(key).length) * Math.log2(62)).to.be.above(128)
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(hashApiKey('abc').toString('hex')).to.equal(sha256)
  })

  it('of any other form are refused', () => {
    const starts = words('sd_live_ Sales_live_ salesdata_prod_ salesdata_LIVE_ salesdata-live-')
    const wrong = [
      ...starts.map((start) => start + random32),
      ...['', random32, ` salesdata_live_${random32}`, `${'a'.repeat(25)}_live_${random32}`],
      ...['x', '\n'].map((end) => `salesdata_live_${random32}${end}`),
      ...['', '-', 'é'].map((end) => `salesdata_live_${random32.slice(1)}${end}`),
    ]
    for (const text of wrong) expect(isWellFormedKey(text), text).to.equal(false)
  })
})

describe('the state of an API key', () => {
  const now = new Date('2026-03-01T12:00:00.000Z')
  const fresh = { isActive: true, expiresAt: null, revokedAt: null, rotatedTo: null }

  // decision: Several states at once
  it('is revoked before expired before disabled before in rotation before active, whatever holds at once', () => {
    const any = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean())
    fc.assert(
      fc.property(any, ([isRevoked, hasOwnerLeft, isExpired, isDisabled, isRotated]) => {
        const [revokedAt, expiresAt] = [isRevoked ? now : null, isExpired ? now : null]
        const rotatedTo = isRotated ? 'key_heir' : null
        const standing = { revokedAt, hasOwnerLeft, expiresAt, isActive: !isDisabled, rotatedTo }
        const failing = [isRevoked || hasOwnerLeft, isExpired, isDisabled, isRotated, true].indexOf(true)
        const state = words('revoked expired disabled in_rotation active')[failing]
        expect(keyState(standing, now)).to.equal(state)
      }),
      { numRuns: 500 },
    )
  })

  it('becomes expired exactly at the millisecond of its expiration date', () => {
    const stateAt = (ms: number) => keyState({ ...fresh, expiresAt: new Date(now.getTime() + ms) }, now)
    expect([-1, 0, 1].map(stateAt)).to.deep.equal(['expired', 'expired', 'active'])
  })
})

describe('changes to an API key', () => {
  const states = ['active', 'disabled', 'in_rotation', 'expired', 'revoked'] as const
  const living = ['active', 'disabled', 'in_rotation'] as const
  /** The states that permit each change, from the state table of the specification and our own decisions. */
  const permitted: Record<apiKeys.KeyChange, readonly apiKeys.KeyState[]> = {
    rename: states,
    describe: states,
    revoke: states,
    changeScopes: living,
    changeAllowlist: living,
    activate: living,
    deactivate: living,
    setExpiry: ['active', 'disabled'],
    rotate: ['active'],
  }

  for (const [change, allowed] of Object.entries(permitted) as [apiKeys.KeyChange, typeof states][])
    it(`${change} is possible exactly while ${allowed.join(', ')}`, () => {
      for (const state of states) {
        const verdict = checkKeyChange(state, change, state === 'in_rotation')
        expect(verdict.kind, state).to.equal(allowed.includes(state) ? 'allowed' : 'refused')
        if (verdict.kind === 'refused') expect(verdict.message, state).to.match(/^[A-Z].*API key.*\.$/)
      }
    })

  it('setExpiry is not possible for a disabled key in its grace period: in rotation it would never end', () => {
    expect(checkKeyChange('disabled', 'setExpiry', true).kind).to.equal('refused')
    expect(checkKeyChange('disabled', 'activate', true).kind).to.equal('allowed')
  })
})
