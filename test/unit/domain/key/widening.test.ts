import { expect } from 'chai'
import type { ApiKey } from '../../../../src/domain/key/key.ts'
import { widens } from '../../../../src/domain/key/widening.ts'

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
