import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { connect, type Db } from '../../../../src/db/connection/connection.ts'
import { migrate } from '../../../../src/db/schema.ts'
import { useDatabase } from '../../../support/database.ts'
import { requiredEnv } from '../../../support/environment.ts'

describe('the database that a test gets', () => {
  const its = useDatabase()
  let migrated: Db

  before(async () => {
    const url = new URL(requiredEnv('TEST_DATABASE_URL'))
    url.pathname = `/t_${randomBytes(6).toString('hex')}`
    await migrate(url.href)
    migrated = connect(url.href)
  })

  after(async () => {
    await migrated.raw('DROP DATABASE ??', [migrated.client.database()])
    await migrated.destroy()
  })

  it('has the tables and the rows that the migrations make', async () => {
    const made = await tablesOf(its.db)
    expect(made.size).to.be.greaterThan(20)
    const migratedTables = await tablesOf(migrated)
    expect([...made.keys()]).to.deep.equal([...migratedTables.keys()])
    for (const [table, statement] of made) expect(statement, table).to.equal(migratedTables.get(table))
    const applied = (db: Db) => db('knex_migrations').orderBy('id').select('id', 'name', 'batch')
    expect(await applied(its.db)).to.deep.equal(await applied(migrated))
    for (const table of made.keys()) {
      const count = async (db: Db) => (await db(table).count({ rows: '*' }).first())?.rows
      expect(await count(its.db), table).to.equal(await count(migrated))
    }
  })
})

/** Each table as the server would make it again. */
async function tablesOf(db: Db): Promise<Map<string, string>> {
  const names = await db('information_schema.tables')
    .whereRaw('table_schema = DATABASE()')
    .select('table_name AS name')
  const tables = new Map<string, string>()
  for (const { name } of names.sort((a, b) => a.name.localeCompare(b.name))) {
    const [[made]] = await db.raw('SHOW CREATE TABLE ??', [name])
    tables.set(name, withoutNotes(made['Create Table']))
  }
  return tables
}

/** MySQL notes the character set of a column that was named in its definition, although the collation has it in its name. */
const withoutNotes = (statement: string): string =>
  statement.replace(/ AUTO_INCREMENT=\d+/, '').replaceAll(/ CHARACTER SET \w+(?= COLLATE)/g, '')
