// Also on MySQL with direct attempts: migrations are SQL of ours, and locks of tables are the server's.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { connect, type Db } from '../../../src/db/connection/connection.ts'
import { companySuspension } from '../../../src/db/migrations/020-company-suspension.ts'
import { runSteps, type StepOptions } from '../../../src/db/migrations/migration.ts'
import { applyMissing, connectToMigrate, listMissingMigrations, migrate } from '../../../src/db/schema.ts'
import { useDatabase } from '../../support/database.ts'
import { requiredEnv } from '../../support/environment.ts'

const THEN = new Date('2026-01-05T12:00:00.000Z')

// decision: Migrations beside traffic
describe('migrations', function () {
  this.timeout(60_000)
  const database = useDatabase()
  let migrating: Db
  before(() => {
    migrating = connectToMigrate(database.url)
  })
  after(() => migrating.destroy())

  it('make the tables and the rows that a test gets, also when two processes migrate at once', async () => {
    await withOther(async (migrated, url) => {
      const [one, other] = await Promise.all([migrate(url), migrate(url)])
      expect([one.length, other.length].sort()).to.deep.equal([0, (await applied(database.db)).length])
      const tables = await tablesOf(database.db)
      expect(Object.keys(tables)).to.have.length.above(20)
      expect(tables).to.deep.equal(await tablesOf(migrated))
      expect(await applied(database.db)).to.deep.equal(await applied(migrated))
    })
  })

  // decision: Migrations that were cut off
  it('go on, whichever statement was the last one of a process that was killed', async () => {
    await withOther(async (migrated, url) => {
      const known = new Set<string>()
      const missing = async () => (await listMissingMigrations(migrated))[0]
      for (let isSeeded = false; await isCutAfterNew(known, url);) {
        if (isSeeded || (await missing()) !== '009-former-rows') continue
        await insertFormerRows(migrated)
        isSeeded = true
      }
      const made = async (db: Db) => Object.entries(await tablesOf(db)).map(([name, [made]]) => [name, made])
      expect(known.size).to.be.above(60)
      expect(await made(migrated)).to.deep.equal(await made(database.db))
      expect(await migrated('resource_counters').pluck('records')).to.deep.equal([1, 1])
      expect(await migrated('webhooks').pluck('secret_sealed')).to.deep.equal([''])
    })
  })

  it('have no limit of a statement, and wait 5 s for the lock of a table', async () => {
    const [limits] = await migrating.raw(`SHOW VARIABLES WHERE variable_name IN
      ('max_statement_time', 'max_execution_time', 'lock_wait_timeout', 'innodb_lock_wait_timeout')`)
    const values = limits.map(({ Value: value }: { Value: string }) => Number(value)).sort()
    expect(values).to.deep.equal([0, 5, 5])
  })

  it('let the traffic on a table go on that a transaction holds, try again, and say what to do', async () => {
    const told: string[] = []
    const up = (options: StepOptions = {}) => runSteps(migrating, companySuspension, 'up', options)
    await migrating.raw('SET SESSION lock_wait_timeout = 1')
    await runSteps(migrating, companySuspension, 'down')
    const holder = await database.db.transaction()
    try {
      await holder('companies').select()
      const options = { tries: 2, pauseMs: 1, tell: (line: string) => void told.push(line) }
      const error = await up(options).catch((error: unknown) => error)
      expect(String(error)).to.include('020-company-suspension: companies').and.include('innodb_trx')
      expect(told.at(-1)).to.include('try 2 of 2')
      expect(await database.db('companies').select()).to.deep.equal([])
    } finally {
      await holder.rollback()
    }
    await up()
    expect(await database.db.schema.hasColumn('companies', 'suspended_at')).to.equal(true)
  })

  const applied = (db: Db) => db('knex_migrations').orderBy('id').select('id', 'name', 'batch')
})

/** Gives the work an empty database, which is gone afterwards. */
async function withOther(work: (db: Db, url: string) => Promise<void>): Promise<void> {
  const url = new URL(requiredEnv('TEST_DATABASE_URL'))
  const name = `t_${randomBytes(6).toString('hex')}`
  const server = connect(url.href)
  url.pathname = `/${name}`
  const db = connect(url.href)
  try {
    await server.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci', [name])
    await work(db, url.href)
  } finally {
    await server.raw('DROP DATABASE ??', [name])
    await Promise.all([db.destroy(), server.destroy()])
  }
}

/**
 * Migrates until a statement has changed something that is not among the known ones, and sends nothing more, as when the
 * process is killed then. Gives whether there was one.
 */
async function isCutAfterNew(known: Set<string>, url: string): Promise<boolean> {
  const db = connectToMigrate(url)
  let isCut = false
  db.on('query', () => {
    if (isCut) throw new Error('killed')
  })
  db.on('query-response', (_, { sql, bindings }: { sql: string; bindings?: unknown[] }) => {
    const statement = `${sql} ${JSON.stringify(bindings)}`
    if (known.has(statement) || !/^(create|alter|drop|insert|update|delete) /i.test(sql)) return
    known.add(statement)
    isCut = true
  })
  try {
    await applyMissing(db, {})
    return false
  } catch (error) {
    if ((error as Error).message === 'killed') return true
    throw error
  } finally {
    await db.destroy()
  }
}

/** Two companies with a record each, and a webhook that was deleted. */
async function insertFormerRows(db: Db): Promise<void> {
  for (const id of ['com_1', 'com_2']) {
    await db('companies').insert({ id, name: id, created_at: THEN })
    const record = { id, company_id: id, environment: 'live', family: 'contacts', fields: '{}' }
    await db('resources').insert({ ...record, created_at: THEN, updated_at: THEN })
  }
  const webhook = {
    id: 'w',
    company_id: 'com_1',
    environment: 'live',
    name: 'w',
    url: 'https://example.com/',
  }
  const settings = { secret_sealed: 'x', is_active: 0, max_retries: 1 }
  const times = { deleted_at: THEN, created_at: THEN, updated_at: THEN }
  await db('webhooks').insert({ ...webhook, ...settings, ...times })
}

/** The statement that creates each table, and how many rows the table has. */
async function tablesOf(db: Db): Promise<Record<string, [made: string, rows: number]>> {
  const names = await db('information_schema.tables')
    .whereRaw('table_schema = DATABASE()')
    .select('table_name AS name')
  const tables: Record<string, [string, number]> = {}
  for (const { name } of names) {
    const [[made]] = await db.raw('SHOW CREATE TABLE ??', [name])
    tables[name] = [withoutNotes(made['Create Table']), (await db(name)).length]
  }
  return tables
}

/** MySQL shows the character set of a column where its definition named one, although the collation says it too. */
const withoutNotes = (statement: string): string =>
  statement.replace(/ AUTO_INCREMENT=\d+/, '').replaceAll(/ CHARACTER SET \w+(?= COLLATE)/g, '')
