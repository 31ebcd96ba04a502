import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { companyOfKey, companyOfUser } from '../../../../src/operations/operator/owners.ts'
import { removeUser } from '../../../../src/operations/user/remove.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the owner of an id, as the operator asks for it', () => {
  const its = useOperations()

  it('is the company of a key of either environment', async () => {
    for (const environment of ['live', 'test'] as const) {
      const { id } = await its.keyring.create({}, environment)
      expect(await companyOfKey(its.deps, id)).to.equal(its.keyring.companyId)
    }
  })

  it('is the company of a user, until the user leaves', async () => {
    const id = await its.keyring.user()
    expect(await companyOfUser(its.deps, id)).to.equal(its.keyring.companyId)
    await removeUser(its.deps, its.keyring.companyId, COMMAND_LINE, id)
    expect(await refusalOf(companyOfUser(its.deps, id))).to.equal('NOT_FOUND: User not found.')
  })

  it('is refused for unknown and malformed ids and those of another kind', async () => {
    const userId = await its.keyring.user()
    const { id: keyId } = await its.keyring.create()
    for (const id of [newId('apiKey'), 'key_1', `${keyId} `, keyId.toUpperCase(), userId]) {
      expect(await refusalOf(companyOfKey(its.deps, id)), id).to.equal('NOT_FOUND: API key not found.')
    }
    for (const id of [newId('user'), 'usr_1', `${userId} `, userId.toUpperCase(), keyId]) {
      expect(await refusalOf(companyOfUser(its.deps, id)), id).to.equal('NOT_FOUND: User not found.')
    }
  })
})
