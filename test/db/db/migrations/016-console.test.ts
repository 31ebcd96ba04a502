import { expect } from 'chai'
import { consoleTables } from '../../../../src/db/migrations/016-console.ts'
import { drop } from '../../../../src/db/migrations/migration.ts'
import { findUser } from '../../../../src/db/users.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the migration of the console', () => {
  const its = useOperations()

  it('lets the users stay who are there, without allowed scopes and second factor, and takes itself back', async () => {
    for (const entry of consoleTables.down) await its.db.raw(drop(entry))
    const id = newId('user')
    await its.db('users').insert({
      ...{ id, company_id: its.tenant().companyId, email: 'a@b.c', active_email: 'a@b.c', name: 'A' },
      ...{ password_hash: 'x', role: 'admin', created_at: new Date('2026-01-05T12:00:00Z') },
    })
    for (const statement of consoleTables.up) await its.db.raw(statement)
    expect(await findUser(its.db, its.tenant().companyId, id)).to.deep.include({
      ...{ id, role: 'admin', allowedScopes: [], hasSecondFactor: false },
    })
    expect(await its.db('console_sessions')).to.deep.equal([])
  })
})
