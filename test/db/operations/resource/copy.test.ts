// Also on MySQL with direct attempts: its statements are SQL of ours, and the servers plan them.
import { expect } from 'chai'
import { exportCompany } from '../../../../src/cli/export-company.ts'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { copyResources } from '../../../../src/operations/resource/read.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { useTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { countRowsRead, statementsOf } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

const { contacts } = RESOURCE_FAMILIES

describe('copying a list of records', () => {
  const its = useOperations()
  const dir = useTemporaryDirectory()
  const copy = (limit: number, cursor = 'start', db = its.db) =>
    copyResources({ db }, its.tenant(), contacts, { limit, cursor }, () => Promise.resolve())

  // decision: Copying lists
  it('reads the place in the feed before the first part, and no more rows than it shows', async () => {
    for (let n = 0; n < 60; n++) await createResource(its.deps, its.tenant(), contacts, { name: `${n}` })
    const { nextCursor } = await copy(2)
    const tables = async (cursor?: string) =>
      (await statementsOf(its.db, () => copy(2, cursor))).map((sql) => /from `?(\w+)/i.exec(sql)?.[1])
    expect(await tables()).to.deep.equal(['feed_heads', 'resources'])
    expect(await tables(nextCursor ?? '')).to.deep.equal(['resources'])
    expect(await countRowsRead(its.db, (trx) => copy(2, nextCursor ?? '', trx))).to.be.below(10)
  })

  // decision: Exporting a company
  it('is how an export reads records, so that a deletion between two parts moves none', async () => {
    for (let n = 0; n < 101; n++) await createResource(its.deps, its.tenant(), contacts, { name: `${n}` })
    let counts: Record<string, number> = {}
    const { companyId } = its.tenant()
    const statements = await statementsOf(its.db, async () => {
      counts = await exportCompany(its.deps, COMMAND_LINE, companyId, `${dir.path}/export`, () => undefined)
    })
    expect(counts).to.include({ contacts: 101 })
    expect(statements.filter((sql) => /offset/i.test(sql))).to.deep.equal([])
  })
})
