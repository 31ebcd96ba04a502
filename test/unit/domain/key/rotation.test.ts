import { expect } from 'chai'
import fc from 'fast-check'
import type { ApiKey } from '../../../../src/domain/key/key.ts'
import * as rotation from '../../../../src/domain/key/rotation.ts'
import { widens } from '../../../../src/domain/key/fields.ts'

const HOUR_MS = 3_600_000
const now = new Date('2026-03-01T12:00:00.000Z')

describe('rotation', () => {
  it('offers exactly 1, 6, 24 and 48 hours and 7 days', () => {
    const graces = Object.entries({ '1h': 1, '6h': 6, '24h': 24, '48h': 48, '7d': 168 })
    const inMs = graces.map(([name, hours]) => [name, hours * HOUR_MS])
    expect(rotation.DEFAULT_ROTATION_GRACES_MS).to.deep.equal(Object.fromEntries(inMs))
  })

  it('gives the replacement the length of the old key, within the years that the database holds', () => {
    const [createdAt, latest] = [new Date('2026-01-01'), new Date('9999-12-31T23:59:59.999Z')]
    const expiryOf = (expiresAt: Date | null) => rotation.replacementExpiry({ createdAt, expiresAt }, now)
    expect(expiryOf(null)).to.equal(null)
    expect(expiryOf(new Date('2026-04-01'))).to.deep.equal(new Date('2026-05-30T12:00:00.000Z'))
    expect(expiryOf(latest)).to.deep.equal(latest)
  })

  it('never prolongs the life of the old key and never outlasts the grace period, for which one without an end lives', () => {
    expect(rotation.rotatedExpiry(null, now, 6 * HOUR_MS)).to.deep.equal(new Date('2026-03-01T18:00:00.000Z'))
    const lengths = fc.nat(365 * 24 * HOUR_MS)
    fc.assert(
      fc.property(lengths, lengths, (oldMs, graceMs) => {
        const end = rotation.rotatedExpiry(new Date(now.getTime() + oldMs), now, graceMs)
        expect(end.getTime() - now.getTime()).to.equal(Math.min(oldMs, graceMs))
      }),
    )
  })
})

const SOON = new Date('2030-01-01T00:00:00Z')
const LATER = new Date('2030-01-02T00:00:00Z')

const [scopes, ipAllowlist] = [['read:all', 'write:deals'], ['10.0.0.0/8']]
const KEY = { scopes, ipAllowlist, isActive: true, expiresAt: SOON } as unknown as ApiKey

describe('widening a key', () => {
  it('is a scope more, another address, a later end, or that it works again', () => {
    for (const [key, change, isWider] of [
      [KEY, {}, false],
      [KEY, { scopes: ['read:deals'] }, false],
      [KEY, { scopes: ['read:all', 'write:tasks'] }, true],
      [{ ...KEY, scopes: ['admin:all'] }, { scopes: ['read:all', 'write:all'] }, false],
      [KEY, { ipAllowlist: ['10.0.0.0/8'] }, false],
      [KEY, { ipAllowlist: [] }, true],
      [KEY, { ipAllowlist: ['10.0.0.0/8', '11.0.0.1'] }, true],
      [{ ...KEY, ipAllowlist: [] }, { ipAllowlist: ['11.0.0.1'] }, false],
      [KEY, { expiresAt: SOON }, false],
      [KEY, { expiresAt: LATER }, true],
      [KEY, { expiresAt: null }, true],
      [{ ...KEY, expiresAt: null }, { expiresAt: LATER }, false],
      [KEY, { isActive: false }, false],
      [{ ...KEY, isActive: false }, { scopes: [] }, false],
      [KEY, { isActive: true }, false],
      [{ ...KEY, isActive: false }, { isActive: true }, true],
    ] as const)
      expect(widens(key, change), JSON.stringify(change)).to.equal(isWider)
  })
})
