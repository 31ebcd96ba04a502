import { expect } from 'chai'
import { newId } from '../../../src/domain/ids.ts'
import * as companies from '../../../src/operations/companies.ts'
import { refusalOf } from '../../support/refusals.ts'
import { useOperations } from '../../support/use-operations.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { companyOfKey, companyOfUser } from '../../../src/operations/operator/owners.ts'
import { removeUser } from '../../../src/operations/user/remove.ts'

describe('companies', () => {
  const its = useOperations()
  const actor = { id: 'cli', ip: '192.0.2.1', requestId: 'a-request' }
  const create = (name: string) => companies.createCompany(its.deps, actor, { name })

  it('are there once they are created, with who created them in the audit, and not with a name that is blank or cannot be kept', async () => {
    const { id } = await create('Ünïted Engines 🚀')
    expect(await refusalOf(companies.requireCompany(its.deps, id))).to.equal('none')
    const { db } = its.database
    expect(await db('companies').where({ id }).pluck('name')).to.deep.equal(['Ünïted Engines 🚀'])
    const [entry] = await db('audit').where({ company_id: id })
    expect(entry).to.include({ action: 'company.create', subject_id: id, details: '{}' })
    expect(entry).to.include({ actor: 'cli', ip: '192.0.2.1', request_id: 'a-request' })
    const before = await its.db('companies')
    for (const name of [' \t', 'a\0b'])
      expect(await refusalOf(create(name))).to.match(/^VALIDATION_ERROR: "name" must not/)
    expect(await its.db('companies')).to.deep.equal(before)
  })

  const queued = (companyId: string) =>
    its.db('outbox').where({ company_id: companyId }).select('kind', 'subject_id', 'version')

  // decision: Suspended companies
  it('are suspended once and resumed once, with both in the audit, and one command for the resumption', async () => {
    const id = its.keyring.companyId
    const { suspendedAt } = await companies.suspendCompany(its.deps, actor, id)
    expect(suspendedAt).to.be.an.instanceOf(Date)
    expect(await companies.suspendCompany(its.deps, actor, id)).to.deep.include({ id, suspendedAt })
    expect(await queued(id)).to.deep.equal([])
    expect(await companies.resumeCompany(its.deps, actor, id)).to.include({ id, suspendedAt: null })
    expect(await companies.resumeCompany(its.deps, actor, id)).to.include({ id, suspendedAt: null })
    expect(await queued(id)).to.deep.equal([{ kind: 'resume-company', subject_id: id, version: 1 }])
    expect((await its.audited(id)).slice(1)).to.deep.equal([
      'company.suspend {}',
      `company.resume ${JSON.stringify({ suspended_at: suspendedAt })}`,
    ])
  })

  it('are refused where no company has the id, however it is written', async () => {
    const { companyId } = its.keyring
    const refusal = 'NOT_FOUND: Company not found.'
    for (const id of [newId('company'), 'com_1', '', `${companyId} `, companyId.toUpperCase()]) {
      expect(await refusalOf(companies.requireCompany(its.deps, id)), id).to.equal(refusal)
      for (const change of [companies.suspendCompany, companies.resumeCompany])
        expect(await refusalOf(change(its.deps, actor, id)), id).to.equal(refusal)
    }
  })
})

describe('the owner of an id, as the operator asks for it', () => {
  const its = useOperations()

  it('is nobody once a user has left, and refused for unknown and malformed ids and those of another kind', async () => {
    const gone = await its.keyring.user()
    await removeUser(its.deps, its.keyring.companyId, COMMAND_LINE, gone)
    const userId = await its.keyring.user()
    const { id: keyId } = await its.keyring.create()
    for (const id of [newId('apiKey'), 'key_1', `${keyId} `, keyId.toUpperCase(), userId]) {
      expect(await refusalOf(companyOfKey(its.deps, id)), id).to.equal('NOT_FOUND: API key not found.')
    }
    for (const id of [gone, newId('user'), 'usr_1', `${userId} `, userId.toUpperCase(), keyId]) {
      expect(await refusalOf(companyOfUser(its.deps, id)), id).to.equal('NOT_FOUND: User not found.')
    }
  })
})
