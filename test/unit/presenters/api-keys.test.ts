import { expect } from 'chai'
import type { ApiKey } from '../../../src/domain/key/key.ts'
import { presentApiKey } from '../../../src/presenters/api-keys.ts'
import { sentFields } from '../../support/sent-fields.ts'

const LATER = '2026-01-05T13:00:00.000Z'
const [noon, later] = [new Date('2026-01-05T12:00:00.000Z'), new Date(LATER)]

describe('a key where it is shown', () => {
  const key = {
    id: 'key_1',
    companyId: 'com_1',
    environment: 'live',
    userId: 'usr_1',
    name: 'CI',
    isActive: true,
    description: 'd',
    prefix: 'salesdata_live_abcdefghi',
    scopes: ['read:deals'],
    type: 'Personal',
    ipAllowlist: ['192.0.2.1'],
    expiresAt: later,
    revokedAt: null,
    revokedReason: null,
    rotatedTo: null,
    createdAt: noon,
    lastUsedAt: noon,
    lastUsedIp: '192.0.2.1',
    requestCount: 3,
  } as const satisfies ApiKey

  it('has its state and use, and of the key itself the first 24 characters at most', () => {
    const usage = { day: 1, week: 2, month: 3, daily: [{ date: '2026-01-05', requests: 1 }] }
    const names = `id name type environment user_id scopes prefix expires_at description is_active ip_allowlist
      revoked_at rotated_to created_at last_used_at last_used_ip request_count`
    const expected = { ...sentFields(key, names), state: 'active', usage }
    expect(presentApiKey(key, 'active', usage)).to.deep.equal(expected)
    const unused = { ...key, expiresAt: null, lastUsedAt: null, revokedAt: later }
    const absent = { expires_at: null, last_used_at: null, revoked_at: LATER }
    expect(presentApiKey(unused, 'revoked', usage)).to.include(absent)
  })
})
