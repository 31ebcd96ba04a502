// Also on MySQL with direct attempts: migrations are SQL of ours, and locks of tables are the server's.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { findCompany } from '../../../src/db/companies.ts'
import { connect, type Db } from '../../../src/db/connection/connection.ts'
import { isDuplicate } from '../../../src/db/connection/errors.ts'
import { companySuspension } from '../../../src/db/migrations/020-company-suspension.ts'
import { runSteps, type StepOptions } from '../../../src/db/migrations/migration.ts'
import * as schema from '../../../src/db/schema.ts'
import { findUser } from '../../../src/db/user/users.ts'
import { readCounters, toWebhookCounters } from '../../../src/db/webhook/counters.ts'
import { useDatabase } from '../../support/database.ts'
import { requiredEnv } from '../../support/environment.ts'
import { whileOpen } from '../../support/lock-waits.ts'
import { insertOpenDeliveries } from '../../support/many-rows.ts'

const THEN = new Date('2026-01-05T12:00:00.000Z')
const TENANT = { companyId: 'com_1', environment: 'live' } as const

// decision: Migrations beside traffic
describe('migrations', function () {
  this.timeout(60_000)
  const database = useDatabase({ isAltered: true })
  let migrating: Db
  before(() => void (migrating = schema.connectToMigrate(database.url)))
  after(() => migrating.destroy())

  it('make the tables and the rows that a test gets, also when two processes migrate at once', async () => {
    await withOther(async (migrated, url) => {
      const [one, other] = await Promise.all([schema.migrate(url), schema.migrate(url)])
      expect([one.length, other.length].sort()).to.deep.equal([0, (await applied(database.db)).length])
      const tables = await tablesOf(database.db)
      expect(Object.keys(tables)).to.have.length.above(20)
      expect(tables).to.deep.equal(await tablesOf(migrated))
      expect(await applied(database.db)).to.deep.equal(await applied(migrated))
    })
  })

  // decision: Migrations that were cut off
  // decision: Former release
  it('go on, whichever statement was the last one of a process that was killed, and keep the rows of the former release', async () => {
    await withOther(async (migrated, url) => {
      const known = new Set<string>()
      const missing = async () => (await schema.listMissingMigrations(migrated))[0]
      for (let isSeeded = false; await isCutAfterNew(known, url);) {
        if (isSeeded || (await missing()) !== '009-former-rows') continue
        await insertFormerRows(migrated)
        isSeeded = true
      }
      const made = async (db: Db) => Object.entries(await tablesOf(db)).map(([name, [made]]) => [name, made])
      expect(known.size).to.be.above(60)
      expect(await made(migrated)).to.deep.equal(await made(database.db))
      expect(await migrated('resource_counters').pluck('records')).to.deep.equal([1, 1])
      expect(await migrated('webhooks').orderBy('id').pluck('secret_sealed')).to.deep.equal(['', 'x'])
      const company = await findCompany(migrated, 'com_1')
      expect(company).to.include({ id: 'com_1', suspendedAt: null, secondFactorRequiredAt: null })
      const factor = { hasSecondFactor: false, secondFactorLockedAt: null }
      const member = { email: 'a@example.com', role: 'admin', allowedScopes: [], ...factor }
      expect(await findUser(migrated, 'com_1', 'usr_1')).to.deep.include(member)
      const counters = (await readCounters(migrated, TENANT, ['whk_open'])).get('whk_open')
      const figures = { successfulDeliveries: 7, waiting: 3, lastTriggeredAt: THEN, lastSuccessAt: null }
      expect(toWebhookCounters(counters)).to.deep.include(figures)
      const delivery = { event_id: 'evt_1', status: 'retrying', resend_no: 0, resend_of: null }
      expect(await migrated('deliveries').first()).to.include(delivery)
    })
  })

  // decision: Indexes of deliveries
  it('leave deliveries with five indexes and no more, one of which allows an event one delivery to a webhook, unless it has a number', async () => {
    const [parts] = (await database.db.raw('SHOW INDEX FROM deliveries')) as [{ Key_name: string }[]]
    expect(new Set(parts.map(({ Key_name: name }) => name))).to.have.property('size', 1 + 5)
    const isRefused = async (webhookId: string, columns: object) =>
      (await insertOpenDeliveries(database.db, 1, { tenant: TENANT, webhookId, columns }).catch(
        isDuplicate,
      )) === true
    for (const [webhookId, resend_no, refused] of [
      ['whk_1', 0, false],
      ['whk_1', 0, true],
      ['whk_2', 0, false],
      ['whk_1', 1, false],
    ] as const)
      expect(await isRefused(webhookId, { event_id: 'evt_1', resend_no })).to.equal(refused)
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
    const read = (db: Db) => db('companies').select()
    await whileOpen(database.db, read, async () => {
      const options = { tries: 2, pauseMs: 1, tell: (line: string) => void told.push(line) }
      const error = await up(options).catch((error: unknown) => error)
      expect(String(error)).to.include('020-company-suspension: companies').and.include('innodb_trx')
      expect(told.at(-1)).to.include('try 2 of 2')
      expect(await read(database.db)).to.deep.equal([])
    })
    await up()
    expect(await database.db.schema.hasColumn('companies', 'suspended_at')).to.equal(true)
  })

  const applied = (db: Db) => db('knex_migrations').orderBy('id').select('id', 'name', 'batch')
})

/** Runs the work with an empty database, and removes the database afterwards. */
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
 * Migrates until an unknown statement has changed something, and sends nothing more, as if the process were killed
 * then. Returns whether it met one.
 */
async function isCutAfterNew(known: Set<string>, url: string): Promise<boolean> {
  const db = schema.connectToMigrate(url)
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
    await schema.applyMissing(db, {})
    return false
  } catch (error) {
    if ((error as Error).message === 'killed') return true
    throw error
  } finally {
    await db.destroy()
  }
}

/** Two companies, each with a record, a user, a webhook with a delivery, and a deleted webhook. */
async function insertFormerRows(db: Db): Promise<void> {
  for (const id of ['com_1', 'com_2']) {
    await db('companies').insert({ id, name: id, created_at: THEN })
    const record = { id, company_id: id, environment: 'live', family: 'contacts', fields: '{}' }
    await db('resources').insert({ ...record, created_at: THEN, updated_at: THEN })
  }
  const of = { company_id: 'com_1', created_at: THEN }
  const [email, active_email] = ['a@example.com', 'a@example.com']
  const user = { id: 'usr_1', email, active_email, name: 'A', role: 'admin', password_hash: 'x' }
  await db('users').insert({ ...of, ...user })
  const named = { environment: 'live', name: 'w', url: 'https://example.com/', secret_sealed: 'x' }
  const webhook = { ...of, ...named, is_active: 0, max_retries: 1, updated_at: THEN }
  for (const [id, deleted_at] of Object.entries({ whk_gone: THEN, whk_open: null }))
    await db('webhooks').insert({ ...webhook, id, deleted_at })
  const counters = { pending: 1, retrying: 2, success: 7, last_triggered_at: THEN }
  await db('webhook_counters').insert({ webhook_id: 'whk_open', shard: 3, ...counters })
  const delivery = { id: 'del_1', webhook_id: 'whk_open', event_id: 'evt_1', event_type: 'contact.created' }
  const state = { environment: 'live', status: 'retrying', max_attempts: 6 }
  await db('deliveries').insert({ ...of, ...delivery, ...state })
}

/** The CREATE statement and the number of rows of each table. */
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

/** MySQL shows a column's character set when its definition named one, although the collation implies it. */
const withoutNotes = (statement: string): string =>
  statement.replace(/ AUTO_INCREMENT=\d+/, '').replaceAll(/ CHARACTER SET \w+(?= COLLATE)/g, '')
