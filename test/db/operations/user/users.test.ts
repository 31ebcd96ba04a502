import { expect } from 'chai'
import { verify } from '@node-rs/argon2'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { rotateApiKey } from '../../../../src/operations/key/rotate.ts'
import { showApiKey } from '../../../../src/operations/key/read.ts'
import { createUser, type UserInput } from '../../../../src/operations/user/create.ts'
import { removeUser } from '../../../../src/operations/user/remove.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { createKeyring } from '../../../support/keyring.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('users', () => {
  const its = useOperations()

  const input = (fields: Partial<UserInput> = {}): UserInput => ({
    email: 'ann@example.com',
    name: 'Ann',
    password: 'correct horse',
    role: 'member',
    ...fields,
  })
  const create = (fields?: Partial<UserInput>, companyId = its.keyring.companyId) =>
    createUser(its.deps, companyId, COMMAND_LINE, input(fields))
  const remove = (id: string) => removeUser(its.deps, its.keyring.companyId, COMMAND_LINE, id)
  const stateOf = async (id: string) => (await showApiKey(its.deps, its.keyring.companyId, id)).state

  it('keeps a password as an argon2id hash of 46 MiB', async () => {
    const { id } = await create({ password: 'a pass phrase' })
    const row = (await its.db('users').where({ id }).first()) as Record<string, string>
    expect(row['password_hash']).to.match(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/)
    expect(await verify(row['password_hash']!, 'a pass phrase')).to.equal(true)
    expect(JSON.stringify(await its.db('audit').where({ subject_id: id }))).to.not.include('pass phrase')
  })

  // decision: Emails
  it('takes an email once per company while its owner is a member, in whatever case', async () => {
    const { id } = await create()
    expect(await refusalOf(create({ email: 'Ann@Example.com' }))).to.equal(
      'CONFLICT: A member of the company has this email.',
    )
    await create({}, (await createKeyring(its.deps)).companyId)
    await remove(id)
    expect((await create()).id).to.not.equal(id)
  })

  // decision: Emails
  it('tells emails apart that differ by an accent', async () => {
    for (const email of ['a@x.com', 'á@x.com', 'ä@x.com', 'ß@x.com', 'ss@x.com']) await create({ email })
    expect(await refusalOf(create({ email: 'Á@X.com' }))).to.match(/^CONFLICT: /)
  })

  // decision: Common passwords
  it('refuses fields that break a rule and companies that are not there', async () => {
    for (const fields of [
      { email: 'nobody' },
      { email: 'a b@c' },
      { name: '' },
      { password: 'seven77' },
      { password: 'x'.repeat(1_025) },
      { password: 'Password123' },
      { allowedScopes: ['write:all'] },
    ]) {
      expect(await refusalOf(create(fields)), JSON.stringify(fields)).to.match(/^VALIDATION_ERROR: /)
    }
    for (const companyId of [newId('company'), 'com_1']) {
      expect(await refusalOf(create({}, companyId))).to.equal('NOT_FOUND: Company not found.')
    }
  })

  // decision: Owner gone
  it('revokes every Personal key of a user who leaves, those in grace included, and no Shared key', async () => {
    const { id: userId } = await create()
    const personal = await its.keyring.create({ userId: userId })
    const rotated = await its.keyring.create({ userId: userId })
    const { key: replacement } = await rotateApiKey(
      its.deps,
      its.keyring.companyId,
      COMMAND_LINE,
      rotated.id,
      '7d',
    )
    const shared = await its.keyring.create({ userId: userId, type: 'Shared' })
    const colleague = await its.keyring.create({ userId: await its.keyring.user() })
    expect(await remove(userId)).to.deep.equal({ revokedKeys: 3 })
    for (const id of [personal.id, rotated.id, replacement.id]) expect(await stateOf(id)).to.equal('revoked')
    for (const { id } of [shared, colleague]) expect(await stateOf(id)).to.equal('active')
    const audited = (await its.db('audit').where({ subject_id: replacement.id })) as Record<string, string>[]
    expect(audited.map(({ action, details }) => [action, JSON.parse(details!) as unknown])).to.deep.equal([
      ['key.revoke', { reason: 'user_left', user_id: userId }],
    ])
  })

  // decision: Owner gone
  it('never revives the keys of a user who comes back', async () => {
    const { id: userId } = await create()
    const { id } = await its.keyring.create({ userId: userId })
    await remove(userId)
    await create()
    expect(await stateOf(id)).to.equal('revoked')
  })

  it('leaves no living key behind when a key is created while its owner leaves', async () => {
    for (let round = 0; round < 5; round++) {
      const userId = await its.keyring.user()
      await Promise.all([
        refusalOf(its.keyring.create({ userId: userId })),
        refusalOf(its.keyring.create({ userId: userId })),
        remove(userId),
      ])
      const living: unknown[] = await its.db('api_keys').where({ user_id: userId, revoked_at: null })
      expect(living).to.deep.equal([])
    }
  })

  it('removes a user once', async () => {
    const { id } = await create()
    await remove(id)
    for (const gone of [id, newId('user'), 'usr_1']) {
      expect(await refusalOf(remove(gone))).to.equal('NOT_FOUND: User not found.')
    }
  })
})
