import { expect } from 'chai'
import { findCompany, insertCompany, isSuspended } from '../../../../src/db/companies.ts'
import { companySuspension } from '../../../../src/db/migrations/020-company-suspension.ts'
import { drop } from '../../../../src/db/migrations/migration.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { useOperations } from '../../../support/use-operations.ts'

describe('the migration of suspended companies', () => {
  const its = useOperations()

  it('suspends no company that is there, and takes itself back', async () => {
    for (const entry of companySuspension.down) await its.db.raw(drop(entry))
    const company = { id: newId('company'), name: 'A', createdAt: new Date('2026-01-05T12:00:00Z') }
    await insertCompany(its.db, company)
    for (const statement of companySuspension.up) await its.db.raw(statement)
    expect(await findCompany(its.db, company.id)).to.deep.equal({ ...company, suspendedAt: null })
    expect(await isSuspended(its.db, company.id)).to.equal(false)
    expect(await its.db('publish_quotas')).to.deep.equal([])
  })
})
