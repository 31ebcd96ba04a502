import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { createApiKey } from '../../../../src/operations/key/create.ts'
import { updateUser, type UserUpdate } from '../../../../src/operations/user/change.ts'
import { createUser } from '../../../../src/operations/user/create.ts'
import { removeUser } from '../../../../src/operations/user/remove.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('changing users', () => {
  const its = useOperations()

  let users = 0
  const admin = async (): Promise<string> => {
    const input = { email: `a${++users}@example.com`, name: 'Ann', password: 'correct horse' }
    return (await createUser(its.deps, its.keyring.companyId, COMMAND_LINE, { ...input, role: 'admin' })).id
  }
  const update = (id: string, change: UserUpdate, actor = COMMAND_LINE) =>
    updateUser(its.deps, its.keyring.companyId, actor, id, change)
  const createWide = (id: string) => {
    const input = { name: 'wide', scopes: ['write:all'], userId: id }
    const tenant = { companyId: its.keyring.companyId, environment: 'live' as const }
    return createApiKey(its.deps, tenant, { id }, input)
  }

  // decision: Lower roles
  it('leaves no wide key behind when a user makes keys while the role is lowered', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await admin()
      await Promise.all([...[1, 2, 3].map(() => refusalOf(createWide(id))), update(id, { role: 'member' })])
      const active: unknown[] = await its.db('api_keys').where({ user_id: id, is_active: true })
      expect(active).to.deep.equal([])
    }
  })

  // decision: Lower roles
  it('lets one of two admins win who remove each other', async () => {
    const { deps, keyring } = its
    const [a, b] = [await admin(), await admin()]
    const refusals = await Promise.all([
      refusalOf(removeUser(deps, keyring.companyId, { id: a }, b)),
      refusalOf(removeUser(deps, keyring.companyId, { id: b }, a)),
    ])
    expect(refusals.filter((refusal) => refusal === 'none')).to.have.length(1)
    expect(refusals.join()).to.match(/UNAUTHORIZED|NOT_FOUND/)
  })

  // decision: Roles
  it('checks the role of a user who asks with the row that is there, whatever the caller has checked', async () => {
    const id = await admin()
    const other = await its.keyring.user()
    await update(id, { role: 'member' })
    expect(await refusalOf(update(other, { role: 'admin' }, { id }))).to.match(/^INSUFFICIENT_PERMISSIONS: /)
    expect(await refusalOf(createWide(id))).to.match(/^INSUFFICIENT_PERMISSIONS: /)
  })
})
