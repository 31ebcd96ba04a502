// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { databaseNow } from '../../../../src/db/clock.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { ROTATION_GRACES } from '../../../../src/domain/key/rotation.ts'
import { revokeApiKey, updateApiKey, type ApiKeyUpdate } from '../../../../src/operations/key/change.ts'
import { rotateApiKey, type Rotation } from '../../../../src/operations/key/rotate.ts'
import { showApiKey } from '../../../../src/operations/key/read.ts'
import { removeUser } from '../../../../src/operations/user/remove.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { createKeyring } from '../../../support/keyring.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('changing API keys', () => {
  const its = useOperations()

  const show = (id: string) => showApiKey(its.deps, its.keyring.companyId, id)
  const update = (id: string, changes: ApiKeyUpdate) =>
    updateApiKey(its.deps, its.keyring.companyId, COMMAND_LINE, id, changes)
  const revoke = (id: string) => revokeApiKey(its.deps, its.keyring.companyId, COMMAND_LINE, id)
  const rotate = (id: string, grace: (typeof ROTATION_GRACES)[number] = '1h'): Promise<Rotation> =>
    rotateApiKey(its.deps, its.keyring.companyId, COMMAND_LINE, id, grace)
  const expire = (id: string) => its.set('api_keys', { id }, { expires_at: new Date('2020-01-01') })
  const actionsOn = async (id: string) =>
    ((await its.db('audit').where({ subject_id: id }).orderBy('id')) as { action: string }[]).map(
      ({ action }) => action,
    )

  it('changes the given fields and no others, and audits each change', async () => {
    const { id } = await its.keyring.create({ name: 'before', description: 'kept' })
    const before = (await show(id)).key
    const given = { name: 'after', scopes: ['read:all'], ipAllowlist: ['::1'] }
    expect((await update(id, given)).key).to.deep.equal({ ...before, ...given })
    expect((await update(id, { ipAllowlist: [], description: '' })).key).to.deep.equal({
      ...{ ...before, ...given, ipAllowlist: [], description: null },
    })
    expect(await actionsOn(id)).to.deep.equal(['key.create', 'key.update', 'key.update'])
  })

  // decision: Disabled and back
  it('disables and enables a key', async () => {
    const { id } = await its.keyring.create()
    expect((await update(id, { isActive: false })).state).to.equal('disabled')
    expect((await update(id, { isActive: true })).state).to.equal('active')
  })

  // decision: Dead keys
  it('lets only name and description of a dead key change', async () => {
    const expired = await its.keyring.create()
    const revoked = await its.keyring.create()
    await expire(expired.id)
    await revoke(revoked.id)
    for (const { id } of [expired, revoked]) {
      const changes = [{ isActive: true }, { isActive: false }, { scopes: ['read:all'] }, { ipAllowlist: [] }]
      for (const change of changes) {
        const refusal = await refusalOf(update(id, { name: 'not even that', ...change }))
        expect(refusal).to.match(/^INVALID_REQUEST: /)
      }
      expect((await update(id, { name: 'late', description: 'why' })).key).to.include({ name: 'late' })
    }
  })

  it('revokes for good: the first time and reason stay', async () => {
    const { id } = await its.keyring.create()
    const first = await revoke(id)
    expect(first.state).to.equal('revoked')
    expect(first.key.revokedReason).to.equal('revoked')
    expect((await revoke(id)).key.revokedAt).to.deep.equal(first.key.revokedAt)
    expect(await actionsOn(id)).to.deep.equal(['key.create', 'key.revoke'])
  })

  it('gives the replacement key everything the specification lists, and neither expiry nor usage', async () => {
    const userId = await its.keyring.user()
    const inherited = { userId, name: 'CRM', description: 'nightly', scopes: ['read:deals'] }
    const given = { ...inherited, ipAllowlist: ['10.0.0.0/8'], expiresAt: new Date('2099-01-01') }
    const old = await its.keyring.create(given, 'test')
    await its.db('api_keys').where({ id: old.id }).update({ request_count: 7 })
    const { key, secret } = await rotate(old.id)
    expect(secret)
      .to.match(/^salesdata_test_[A-Za-z0-9]{32}$/)
      .and.not.equal(old.secret)
    expect((await show(key.id)).key).to.deep.include({
      ...{ ...inherited, ipAllowlist: ['10.0.0.0/8'], type: 'Personal', environment: 'test' },
      ...{ expiresAt: null, requestCount: 0, isActive: true },
    })
    expect(await show(old.id)).to.include({ state: 'in_rotation' })
    expect(await actionsOn(old.id)).to.deep.equal(['key.create', 'key.rotate'])
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

  // decision: Rotation
  it('never prolongs a key’s life', async () => {
    const expiresAt = new Date((await databaseNow(its.db)).getTime() + 60_000)
    const { id } = await its.keyring.create({ expiresAt })
    expect((await rotate(id, '7d')).oldExpiresAt).to.deep.equal(expiresAt)
  })

  it('queues the timer in the transaction of the rotation', async () => {
    const { id } = await its.keyring.create()
    const { oldExpiresAt } = await rotate(id)
    const rows: unknown = await its
      .db('outbox')
      .where({ subject_id: id })
      .select('kind', 'lane', 'argument', 'company_id')
    expect(rows).to.deep.equal([
      { kind: 'expire-key', lane: '', argument: oldExpiresAt.getTime(), company_id: its.keyring.companyId },
    ])
  })

  it('queues the end of the timer in the transaction of the revocation, and none for a key without a timer', async () => {
    const [rotated, plain] = [await its.keyring.create(), await its.keyring.create()]
    await rotate(rotated.id)
    const outboxOf = (id: string) =>
      its.db('outbox').where({ subject_id: id }).select('kind', 'version') as Promise<unknown[]>
    await revoke(rotated.id)
    await revoke(plain.id)
    expect(await outboxOf(rotated.id)).to.deep.equal([{ kind: 'expire-key', version: 2 }])
    expect(await outboxOf(plain.id)).to.deep.equal([])
  })

  // decision: Rotation
  it('lets exactly one of 20 parallel rotations win', async () => {
    const { id } = await its.keyring.create()
    const refusals = await Promise.all(Array.from({ length: 20 }, () => refusalOf(rotate(id))))
    expect(refusals.filter((refusal) => refusal === 'none')).to.have.length(1)
    const others = refusals.filter((refusal) => refusal !== 'none')
    expect(new Set(others)).to.deep.equal(new Set(['INVALID_REQUEST: The API key is already in rotation.']))
    const rows: unknown[] = await its.db('api_keys').where({ company_id: its.keyring.companyId })
    expect(rows).to.have.length(2)
  })

  // decision: Rotation
  it('refuses to rotate a key that is revoked, expired, disabled, in rotation or whose owner left', async () => {
    const [revoked, expired, disabled, rotated] = await Promise.all(
      Array.from({ length: 4 }, () => its.keyring.create()),
    )
    const userId = await its.keyring.user()
    const orphan = await its.keyring.create({ userId })
    await revoke(revoked!.id)
    await expire(expired!.id)
    await update(disabled!.id, { isActive: false })
    await rotate(rotated!.id)
    await removeUser(its.deps, its.keyring.companyId, COMMAND_LINE, userId)
    for (const { id } of [revoked!, expired!, disabled!, rotated!, orphan]) {
      expect(await refusalOf(rotate(id))).to.match(/^INVALID_REQUEST: /)
    }
  })

  it('makes rotation and revocation at once end with a revoked old key', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await its.keyring.create()
      await Promise.all([refusalOf(rotate(id)), revoke(id)])
      expect((await show(id)).state).to.equal('revoked')
    }
  })

  it('leaves no working replacement key when rotation and the owner’s removal meet', async () => {
    for (let round = 0; round < 5; round++) {
      const userId = await its.keyring.user()
      const { id } = await its.keyring.create({ userId })
      await Promise.all([
        refusalOf(rotate(id)),
        removeUser(its.deps, its.keyring.companyId, COMMAND_LINE, userId),
      ])
      const living: unknown[] = await its.db('api_keys').where({ user_id: userId, revoked_at: null })
      expect(living).to.deep.equal([])
    }
  })

  it('refuses every change of an unknown, foreign or malformed id', async () => {
    const foreign = await (await createKeyring(its.deps)).create()
    for (const id of [foreign.id, newId('apiKey'), 'key_1']) {
      for (const change of [() => update(id, { name: 'x' }), () => revoke(id), () => rotate(id)]) {
        expect(await refusalOf(change())).to.equal('NOT_FOUND: API key not found.')
      }
    }
  })
})
