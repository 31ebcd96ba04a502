import { access } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { EXCEPTIONS } from '../../scripts/lib/tenant-exceptions.mjs'
import { isRefused } from '../support/lint.ts'

describe('the wall around what spans tenants', () => {
  const isRefusedQuery = (params: string, file = 'src/db/x.ts') =>
    isRefused(file, `export async function listRows(${params}): Promise<void> {}`)

  it('refuses a query that anybody who has a Db could ask about every company', async () => {
    for (const params of [
      'db: Db, limit: number',
      'trx: Knex.Transaction',
      'run: Run<Db>',
      'db, id: string',
      '{ id }: Row, db: Db',
    ]) {
      expect(await isRefusedQuery(params), params).to.equal(true)
    }
    expect(await isRefused('src/db/x.ts', 'export const count = (db: Db): number => 1')).to.equal(true)
    expect(await isRefused('src/db/x.ts', 'export const all = { count: (db: Db) => 1 }')).to.equal(true)
    expect(await isRefused('src/db/x.ts', 'const count = (db: Db) => 1; export { count }')).to.equal(true)
  })

  it('lets a query pass that takes a tenant or a SystemDb', async () => {
    for (const params of [
      'db: Db, tenant: Tenant',
      'db: Db, { companyId }: Page',
      'db: Db, tenants: readonly Tenant[]',
      "trx: Knex.Transaction, row: Pick<Row, 'id' | 'company_id'>",
      'db: SystemDb, limit: number',
      'trx: Transaction<SystemDb>, run: Run<SystemDb>',
      'text: string',
    ]) {
      expect(await isRefusedQuery(params), params).to.equal(false)
    }
  })

  it('has exceptions that are still there, and still needed', async () => {
    expect(await isRefused('src/db/workers.ts', '')).to.equal(true)
    expect(await isRefusedQuery('db: Db', 'src/db/clock.ts')).to.equal(true)
    for (const { file } of EXCEPTIONS) await access(path.join(ROOT, 'src/db', file))
  })

  it('lets only the wiring make a SystemDb, and nobody turn a Db into one', async () => {
    const open = "import { connect } from '../db/connection/connection.ts'"
    expect(await isRefused('src/relay/x.ts', open)).to.equal(true)
    expect(await isRefused('src/deps/deps.ts', open)).to.equal(false)
    const build = "import { buildDeps } from './deps/deps.ts'"
    expect(await isRefused('src/api/x.ts', build.replace('./', '../'))).to.equal(true)
    expect(await isRefused('src/cli/run.ts', build)).to.equal(false)
    expect(await isRefused('src/operations/x.ts', 'export const wide = (db as SystemDb)')).to.equal(true)
    const part = "import { selectDeliveries } from '../db/delivery/deliveries.ts'"
    expect(await isRefused('src/operations/x.ts', part)).to.equal(true)
  })
})
