import { access } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { EXCEPTIONS } from '../../scripts/lib/tenant-exceptions.mjs'
import { refusedOf, type Sample } from '../support/lint.ts'

const query = (params: string, file = 'src/db/x.ts'): Sample => [
  file,
  `export async function listRows(${params}): Promise<void> {}`,
]

describe('the wall around what spans tenants', () => {
  it('refuses a query that anybody who has a Db could ask about every company', async () => {
    const refused: Sample[] = [
      query('db: Db, limit: number'),
      query('trx: Knex.Transaction'),
      query('run: Run<Db>'),
      query('db, id: string'),
      query('{ id }: Row, db: Db'),
      ['src/db/x.ts', 'export const count = (db: Db): number => 1'],
      ['src/db/x.ts', 'export const all = { count: (db: Db) => 1 }'],
      ['src/db/x.ts', 'const count = (db: Db) => 1; export { count }'],
    ]
    const allowed = [
      'db: Db, tenant: Tenant',
      'db: Db, { companyId }: Page',
      'db: Db, tenants: readonly Tenant[]',
      "trx: Knex.Transaction, row: Pick<Row, 'id' | 'company_id'>",
      'db: SystemDb, limit: number',
      'trx: Transaction<SystemDb>, run: Run<SystemDb>',
      'text: string',
    ].map((params) => query(params))
    expect(await refusedOf([...refused, ...allowed])).to.deep.equal(refused)
  })

  it('has exceptions that are still there, and still needed', async () => {
    const refused: Sample[] = [['src/db/workers.ts', ''], query('db: Db', 'src/db/clock.ts')]
    expect(await refusedOf(refused)).to.deep.equal(refused)
    for (const { file } of EXCEPTIONS) await access(path.join(ROOT, 'src/db', file))
  })

  it('lets only the wiring make a SystemDb, and nobody turn a Db into one', async () => {
    const open = "import { connect } from '../db/connection/connection.ts'"
    const refused: Sample[] = [
      ['src/relay/x.ts', open],
      ['src/api/x.ts', "import { buildDeps } from '../deps/deps.ts'"],
      ['src/operations/x.ts', 'export const wide = (db as SystemDb)'],
      ['src/operations/x.ts', "import { selectDeliveries } from '../db/delivery/deliveries.ts'"],
    ]
    const allowed: Sample[] = [
      ['src/deps/deps.ts', open],
      ['src/cli/run.ts', "import { buildDeps } from './deps/deps.ts'"],
    ]
    expect(await refusedOf([...refused, ...allowed])).to.deep.equal(refused)
  })
})
