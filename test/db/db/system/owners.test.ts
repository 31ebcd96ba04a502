import { expect } from 'chai'
import { findKeyCompany, findUserCompany } from '../../../../src/db/system/owners.ts'
import { markUserLeft } from '../../../../src/db/users.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { createKeyring } from '../../../support/keyring.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the owner of an id', () => {
  const its = useOperations()

  it('is the company that the key or the user was made for', async () => {
    for (const keyring of [its.keyring, await createKeyring(its.deps)]) {
      const { id } = await keyring.create()
      expect(await findKeyCompany(its.db, id)).to.equal(keyring.companyId)
      expect(await findUserCompany(its.db, await keyring.user())).to.equal(keyring.companyId)
    }
  })

  it('is nobody for an unknown id, and for a user who left', async () => {
    const userId = await its.keyring.user()
    await markUserLeft(its.db, its.keyring.companyId, userId, new Date())
    for (const id of [userId, newId('user')]) {
      expect(await findUserCompany(its.db, id)).to.equal(undefined)
    }
    expect(await findKeyCompany(its.db, newId('apiKey'))).to.equal(undefined)
  })
})
