import { expect } from 'chai'
import {
  findKey,
  insertKey,
  lockKey,
  markRotated,
  revokeKeys,
  updateKey,
} from '../../../../src/db/key/keys.ts'
import { listKeys } from '../../../../src/db/key/lists.ts'
import { markUserLeft } from '../../../../src/db/users.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { hashApiKey, type ApiKey } from '../../../../src/domain/key/key.ts'
import { useOperations } from '../../../support/use-operations.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')
const LATER = new Date('2026-03-02T00:00:00.000Z')

describe('keys in the database', () => {
  const its = useOperations()
  const db = () => its.db
  const company = () => its.keyring.companyId

  async function insert(fields: Partial<ApiKey> = {}): Promise<ApiKey> {
    const id = newId('apiKey')
    const key: ApiKey = {
      ...{ id, companyId: company(), environment: 'live', userId: null, name: 'Ünï 🚀' },
      ...{ description: 'a description', prefix: 'salesdata_live_123456789', type: 'Shared' },
      ...{ scopes: ['read:deals', 'write:tasks'], isActive: true, ipAllowlist: ['10.0.0.0/8', '::1'] },
      ...{ expiresAt: new Date('2030-01-01T00:00:00.000Z'), revokedAt: null, revokedReason: null },
      ...{ rotatedTo: null, createdAt: NOW, lastUsedAt: null, lastUsedIp: null, requestCount: 0 },
      ...fields,
    }
    await insertKey(db(), key, hashApiKey(id))
    return key
  }
  const find = async (id: string) => (await findKey(db(), company(), id))?.key
  const revoke = (id: string, reason = 'manual', owner = company()) =>
    revokeKeys(db(), owner, { id }, { reason, now: LATER })
  const rotation = { rotatedTo: newId('apiKey'), expiresAt: LATER, now: NOW }
  const queued = (): Promise<string[]> => db()('outbox').where({ company_id: company() }).pluck('kind')

  it('are found as they were inserted', async () => {
    const key = await insert()
    expect(await find(key.id)).to.deep.equal(key)
  })

  it('are found, changed, rotated and revoked by their own company alone', async () => {
    const key = await insert()
    const other = newId('company')
    expect(await findKey(db(), other, key.id)).to.equal(undefined)
    expect(await lockKey(db(), other, key.id)).to.equal(undefined)
    expect(await listKeys(db(), other)).to.deep.equal([])
    await updateKey(db(), other, key.id, { name: 'theirs', isActive: false }, LATER)
    await markRotated(db(), other, key.id, rotation)
    expect(await revoke(key.id, 'theirs', other)).to.deep.equal([])
    expect(await find(key.id)).to.deep.equal(key)
  })

  it('are listed newest first, by id where they are as old, those of both environments', async () => {
    const sameAge = [await insert(), await insert({ environment: 'test' })]
      .map(({ id }) => id)
      .sort()
      .reverse()
    const { id: newest } = await insert({ createdAt: LATER })
    const listed = await listKeys(db(), company())
    expect(listed.map(({ key }) => key.id)).to.deep.equal([newest, ...sameAge])
  })

  const changes = {
    name: 'other',
    description: null,
    scopes: ['admin:all'],
    ipAllowlist: [],
    isActive: false,
  }
  for (const [field, value] of Object.entries(changes)) {
    it(`change in ${field} alone when nothing else is given`, async () => {
      const key = await insert()
      await updateKey(db(), company(), key.id, { [field]: value }, LATER)
      expect(await find(key.id)).to.deep.equal({ ...key, [field]: value })
    })
  }

  it('are rotated once: a later rotation changes nothing', async () => {
    const key = await insert()
    await markRotated(db(), company(), key.id, rotation)
    const { rotatedTo, expiresAt } = rotation
    expect(await find(key.id)).to.deep.equal({ ...key, rotatedTo, expiresAt })
    const again = { rotatedTo: newId('apiKey'), expiresAt: NOW, now: LATER }
    await markRotated(db(), company(), key.id, again)
    expect(await find(key.id)).to.deep.equal({ ...key, rotatedTo, expiresAt })
  })

  it('keep the time and the reason of their first revocation', async () => {
    const key = await insert()
    expect(await revoke(key.id, 'manual')).to.deep.equal([key.id])
    expect(await revoke(key.id, 'again')).to.deep.equal([])
    expect(await find(key.id)).to.deep.equal({ ...key, revokedAt: LATER, revokedReason: 'manual' })
  })

  it('have their timer ended with their revocation only where a rotation set one', async () => {
    const [plain, rotated] = [await insert(), await insert()]
    await revoke(plain.id)
    expect(await queued()).to.deep.equal([])
    await markRotated(db(), company(), rotated.id, rotation)
    await revoke(rotated.id)
    expect(await queued()).to.deep.equal(['expire-key'])
  })

  it('are revoked together where they are of one user and type', async () => {
    const userId = await its.keyring.user()
    const personal = [await insert({ userId, type: 'Personal' }), await insert({ userId, type: 'Personal' })]
    await insert({ userId })
    await insert({ userId: await its.keyring.user(), type: 'Personal' })
    const which = { user_id: userId, type: 'Personal' } as const
    const revoked = await revokeKeys(db(), company(), which, { reason: 'user_left', now: LATER })
    expect(revoked).to.deep.equal(personal.map(({ id }) => id).sort())
    const living = (await listKeys(db(), company())).filter(({ key }) => key.revokedAt === null)
    expect(living).to.have.length(2)
  })

  it('of type Personal tell whether their owner has left, and Shared ones do not mind', async () => {
    const userId = await its.keyring.user()
    const keys = [await insert({ userId, type: 'Personal' }), await insert({ userId })]
    const left = async () => {
      const found = keys.map(({ id }) => findKey(db(), company(), id))
      const locked = keys.map(({ id }) => lockKey(db(), company(), id))
      return (await Promise.all([...found, ...locked])).map((key) => key?.hasOwnerLeft)
    }
    expect(await left()).to.deep.equal([false, false, false, false])
    await markUserLeft(db(), company(), userId, NOW)
    expect(await left()).to.deep.equal([true, false, true, false])
  })

  it('let nobody in whose allowlist cannot be read', async () => {
    const { id } = await insert()
    for (const text of ['not JSON', '{}', 'null']) {
      await db()('api_keys').where({ id }).update({ ip_allowlist: text })
      expect((await find(id))?.ipAllowlist, text).to.deep.equal(['unreadable'])
    }
  })
})
