// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { newId } from '../../../src/domain/ids.ts'
import { hashApiKey } from '../../../src/domain/key/key.ts'
import { ROTATION_GRACES } from '../../../src/domain/key/rotation.ts'
import type { ApiKeyUpdate } from '../../../src/operations/key/change.ts'
import { rotateApiKey } from '../../../src/operations/key/rotate.ts'
import { createApiKey } from '../../../src/operations/key/create.ts'
import { listApiKeys } from '../../../src/operations/key/read.ts'
import { refusalOf, createKeyring, type Keyring, useOperations } from '../../support/use-operations.ts'

// decision: Rotation
describe('API keys', () => {
  const its = useOperations()

  const show = (id: string) => its.keyring.show(id)
  const update = (id: string, changes: ApiKeyUpdate) => its.keyring.change(id, changes)
  const revoke = (id: string) => its.keyring.revoke(id)
  const rotate: Keyring['rotate'] = (...given) => its.keyring.rotate(...given)
  const expire = (id: string) => its.set('api_keys', { id }, { expires_at: new Date('2020-01-01') })

  // decision: Keys per company
  it('is refused beyond KEYS_PER_COMPANY live keys, also when many are made at once; a rotation always works', async () => {
    const deps = its.depsWith({ KEYS_PER_COMPANY: '2' })
    const tenant = its.tenant()
    const input = { name: 'one of many', scopes: ['admin:all'] }
    const create = () => createApiKey(deps, tenant, COMMAND_LINE, input)
    const made = await Promise.allSettled([create(), create(), create(), create()])
    const ids = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.key.id] : []))
    expect(ids).to.have.length(2)
    expect(await refusalOf(create())).to.match(/^CONFLICT: A company may have 2 keys/)
    await rotateApiKey(deps, tenant.companyId, COMMAND_LINE, ids[0]!, { grace: '7d' })
    await expire(ids[1]!)
    await create()
    expect(await refusalOf(create())).to.match(/^CONFLICT/)
  })

  it('stores the SHA-256 of the key and its first 24 characters, and the key nowhere; the audit says who made it', async () => {
    const { id, secret } = await its.keyring.create({ name: 'audited' })
    const row = (await its.db('api_keys').where({ id }).first()) as Record<string, unknown>
    expect(row['key_hash']).to.deep.equal(hashApiKey(secret))
    expect(row['prefix']).to.equal(secret.slice(0, 24))
    const [entry] = (await its.db('audit').where({ subject_id: id })) as Record<string, string>[]
    expect(JSON.stringify([row, entry])).to.not.include(secret.slice(0, 25))
    expect(entry).to.include({ actor: 'cli', action: 'key.create', company_id: its.keyring.companyId })
    const details = { prefix: secret.slice(0, 24), name: 'audited', type: 'Shared', scopes: ['admin:all'] }
    expect(JSON.parse(entry!['details']!)).to.deep.equal(details)
  })

  it('makes a Personal key for a member of the company, and for nobody else', async () => {
    const userId = await its.keyring.user()
    const { id } = await its.keyring.create({ userId })
    expect((await show(id)).key).to.include({ type: 'Personal', userId })
    const stranger = await (await createKeyring(its.deps)).user()
    for (const other of [stranger, newId('user'), 'usr_1', `${userId} `])
      expect(await refusalOf(its.keyring.create({ userId: other }))).to.equal('NOT_FOUND: User not found.')
    const nobodys = its.keyring.create({ type: 'Personal' })
    expect(await refusalOf(nobodys)).to.equal('VALIDATION_ERROR: A Personal key needs a user.')
  })

  it('refuses an expiry that is not in the future of the database’s clock', async () => {
    const refused = its.keyring.create({ expiresAt: await databaseNow(its.db) })
    expect(await refusalOf(refused)).to.equal('VALIDATION_ERROR: "expires_at" must be in the future.')
  })

  // decision: Dead keys
  it('lets only name and description of a dead key change, and no rotation begin', async () => {
    const expired = await its.keyring.create()
    const revoked = await its.keyring.create()
    await expire(expired.id)
    await revoke(revoked.id)
    const others = [{ isActive: true }, { isActive: false }, { scopes: ['read:all'] }, { ipAllowlist: [] }]
    for (const { id } of [expired, revoked]) {
      for (const change of others)
        expect(await refusalOf(update(id, { name: 'x', ...change }))).to.match(/^INVALID_REQUEST: /)
      expect((await update(id, { name: 'late', description: 'why' })).key).to.include({ name: 'late' })
      expect(await refusalOf(rotate(id))).to.match(/^INVALID_REQUEST: /)
    }
  })

  it('revokes for good: the first time and reason stay', async () => {
    const { id } = await its.keyring.create()
    const first = await revoke(id)
    expect([first.state, first.key.revokedReason]).to.deep.equal(['revoked', 'revoked'])
    expect((await revoke(id)).key.revokedAt).to.deep.equal(first.key.revokedAt)
    expect(await its.actions(id)).to.deep.equal(['key.create', 'key.revoke'])
  })

  it('gives the replacement key everything the specification lists, and a history of its own, but no usage', async () => {
    const userId = await its.keyring.user()
    const access = { scopes: ['read:deals'], ipAllowlist: ['10.0.0.0/8'] }
    const given = { userId, name: 'CRM', description: 'nightly', ...access }
    const old = await its.keyring.create(given, 'test')
    await its.set('api_keys', { id: old.id }, { request_count: 7 })
    const { key, secret } = await rotate(old.id)
    expect(secret).to.match(/^salesdata_test_[A-Za-z0-9]{32}$/)
    expect(secret).to.not.equal(old.secret)
    const own = { type: 'Personal', environment: 'test', expiresAt: null, requestCount: 0, isActive: true }
    expect((await show(key.id)).key).to.deep.include({ ...given, ...own })
    expect(await show(old.id)).to.include({ state: 'in_rotation' })
    expect(await its.actions(old.id)).to.deep.equal(['key.create', 'key.rotate'])
    const entry = { subject_id: key.id, action: 'key.create' }
    const { details } = (await its.db('audit').where(entry).first()) as { details: string }
    const told = { prefix: key.prefix, replaces: old.id, grace: '1h', expires_at: null }
    expect(JSON.parse(details)).to.deep.include(told)
  })

  it('ends the old key after the grace period by the database’s clock, for each of the five', async () => {
    const hours = { '1h': 1, '6h': 6, '24h': 24, '48h': 48, '7d': 168 }
    for (const grace of ROTATION_GRACES) {
      const { id } = await its.keyring.create()
      const before = await databaseNow(its.db)
      const { oldExpiresAt } = await rotate(id, grace)
      const graceMs = hours[grace] * 3_600_000
      const after = await databaseNow(its.db)
      expect(oldExpiresAt.getTime()).to.be.within(before.getTime() + graceMs, after.getTime() + graceMs)
      expect((await show(id)).key.expiresAt).to.deep.equal(oldExpiresAt)
    }
  })

  // decision: Expiry of a key in rotation
  it('lets nobody move the end of a grace period, also while the key is disabled', async () => {
    const { id } = await its.keyring.create()
    const { oldExpiresAt } = await rotate(id)
    const refused =
      'INVALID_REQUEST: The API key is in rotation and ends with its grace period: revoke it to end it now.'
    for (const isActive of [true, false]) {
      await update(id, { isActive })
      for (const expiresAt of [null, new Date('2099-01-01')])
        expect(await refusalOf(update(id, { expiresAt }))).to.equal(refused)
    }
    await update(id, { isActive: true })
    expect(await show(id)).to.deep.include({ state: 'in_rotation' })
    expect((await show(id)).key.expiresAt).to.deep.equal(oldExpiresAt)
  })

  // decision: Expiry of the replacement key
  it('lets the replacement key live as long as the old key was to live, or as the caller chooses', async () => {
    const expiresAt = new Date('2099-01-01')
    const expiryAfter = async (chosen?: Date | null) => {
      const { id } = await its.keyring.create({ expiresAt })
      const [old, { key }] = [(await show(id)).key, await rotate(id, '1h', chosen)]
      const { createdAt, expiresAt: stored } = (await show(key.id)).key
      return [stored, new Date(createdAt.getTime() + expiresAt.getTime() - old.createdAt.getTime())]
    }
    const [stored, sameLength] = await expiryAfter()
    expect(stored).to.deep.equal(sameLength)
    expect((await expiryAfter(null))[0]).to.equal(null)
    expect((await expiryAfter(new Date('2050-01-01')))[0]).to.deep.equal(new Date('2050-01-01'))
    expect(await refusalOf(expiryAfter(new Date('2020-01-01')))).to.match(/^VALIDATION_ERROR: "expires_at"/)
  })

  it('queues the timer with the rotation, and its end with the revocation; a key without a timer queues none', async () => {
    const [rotated, plain] = [await its.keyring.create(), await its.keyring.create()]
    const outboxOf = (id: string): Promise<unknown[]> =>
      its.db('outbox').where({ subject_id: id }).select('kind', 'lane', 'argument', 'company_id', 'version')
    await rotate(rotated.id)
    const of = { company_id: its.keyring.companyId, lane: '', argument: null }
    const timer = { kind: 'expire-key', version: 1, ...of }
    expect(await outboxOf(rotated.id)).to.deep.equal([timer])
    await revoke(rotated.id)
    await revoke(plain.id)
    expect(await outboxOf(rotated.id)).to.deep.equal([{ ...timer, version: 2 }])
    expect(await outboxOf(plain.id)).to.deep.equal([])
  })

  it('lets exactly one of 20 parallel rotations win', async () => {
    const { id } = await its.keyring.create()
    const refusals = await Promise.all(Array.from({ length: 20 }, () => refusalOf(rotate(id))))
    const refused = 'INVALID_REQUEST: The API key is already in rotation.'
    expect(refusals.sort()).to.deep.equal([...Array<string>(19).fill(refused), 'none'])
    expect(await its.db('api_keys').where({ company_id: its.keyring.companyId })).to.have.length(2)
  })

  it('makes rotation and revocation at once end with a revoked old key, and leaves no working replacement where the owner is removed meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await its.keyring.create()
      await Promise.all([refusalOf(rotate(id)), revoke(id)])
      expect((await show(id)).state).to.equal('revoked')
      const userId = await its.keyring.user()
      const personal = await its.keyring.create({ userId })
      await Promise.all([refusalOf(rotate(personal.id)), its.keyring.remove(userId)])
      const living: unknown[] = await its.db('api_keys').where({ user_id: userId, revoked_at: null })
      expect(living).to.deep.equal([])
    }
  })

  it('answers unknown, foreign and malformed ids alike, whatever is asked for', async () => {
    const { id } = await its.keyring.create()
    const foreign = await (await createKeyring(its.deps)).create()
    for (const wrong of [foreign.id, newId('apiKey'), 'key_1', `${id} `]) {
      const change = () => update(wrong, { name: 'x' })
      const asks = [() => show(wrong), change, () => revoke(wrong), () => rotate(wrong)]
      for (const ask of asks) expect(await refusalOf(ask())).to.equal('NOT_FOUND: API key not found.')
    }
    const input = { name: 'x', scopes: ['read:all'] }
    for (const companyId of [newId('company'), 'com_1', '']) {
      const tenant = { companyId, environment: 'live' } as const
      const refusal = 'NOT_FOUND: Company not found.'
      expect(await refusalOf(createApiKey(its.deps, tenant, COMMAND_LINE, input))).to.equal(refusal)
      expect(await refusalOf(listApiKeys(its.deps, companyId))).to.equal(refusal)
    }
  })
})
