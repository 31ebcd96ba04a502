// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { findCompany, insertCompany, isSuspended } from '../../../src/db/companies.ts'
import type { Db } from '../../../src/db/connection/connection.ts'
import { deliveryLists } from '../../../src/db/migrations/012-delivery-lists.ts'
import { statsAndHealth } from '../../../src/db/migrations/014-stats-and-health.ts'
import { notices } from '../../../src/db/migrations/015-notices.ts'
import { consoleTables } from '../../../src/db/migrations/016-console.ts'
import { companySuspension } from '../../../src/db/migrations/020-company-suspension.ts'
import { runSteps, type Migration } from '../../../src/db/migrations/migration.ts'
import { signIn } from '../../../src/db/migrations/023-sign-in.ts'
import { upkeep } from '../../../src/db/migrations/025-upkeep.ts'
import { listReplacedKeys } from '../../../src/db/key/lists.ts'
import { recoveryTurns } from '../../../src/db/migrations/022-recovery-turns.ts'
import { findRecovery, insertRecovery } from '../../../src/db/recovery/recoveries.ts'
import { findUser } from '../../../src/db/user/users.ts'
import { readCounters, toWebhookCounters } from '../../../src/db/webhook/counters.ts'
import { readHealth } from '../../../src/db/webhook/health-rows.ts'
import { readStats } from '../../../src/db/webhook/stats-sums.ts'
import { isDuplicate } from '../../../src/db/connection/errors.ts'
import { newId } from '../../../src/domain/ids.ts'
import type { Tenant } from '../../../src/domain/tenant.ts'
import { NONE_COUNTED } from '../../../src/domain/webhook/long-failure.ts'
import { attemptsIn } from '../../../src/domain/webhook/stats.ts'
import { useDatabase } from '../../support/database.ts'
import { explain, statementsOf } from '../../support/rows-read.ts'
import { insertOpenDeliveries } from '../../support/many-rows.ts'
import { createTestTenant } from '../../support/tenants.ts'
import { insertWebhooks } from '../../support/webhook-rows.ts'

const THEN = new Date('2026-01-05T12:00:00.000Z')

describe('a migration', function () {
  this.timeout(60_000)
  const database = useDatabase()
  const tenant: Tenant = { companyId: newId('company'), environment: 'live' }
  const newWebhook = async () => (await insertWebhooks(database.db, tenant, 1, ['contact.created']))[0] ?? ''

  /** Takes the migration back, makes rows as the former release did, and applies it again. */
  async function reapply(migration: Migration, before: (db: Db) => Promise<unknown>): Promise<void> {
    await runSteps(database.db, migration, 'down')
    await before(database.db)
    await runSteps(database.db, migration, 'up')
  }
  const stepsOf = (migration: Migration) => ({
    down: () => runSteps(database.db, migration, 'down'),
    up: () => runSteps(database.db, migration, 'up'),
  })
  /** The columns of each secondary index of a table. */
  async function indexesOf(table: string): Promise<Record<string, string>> {
    type Part = { Key_name: string; Column_name: string; Non_unique: number }
    const [parts] = (await database.db.raw('SHOW INDEX FROM ??', [table])) as [Part[]]
    const indexes: Record<string, string> = {}
    for (const { Key_name: name, Column_name: column, Non_unique: repeats } of parts) {
      if (name === 'PRIMARY') continue
      indexes[name] = indexes[name] ? `${indexes[name]},${column}` : `${repeats ? '' : 'unique '}${column}`
    }
    return indexes
  }

  // Before that of notices, which makes the table anew.
  it('of upkeep finds replaced keys by an index, and goes back and forth', async () => {
    const { down, up } = stepsOf(upkeep)
    await down()
    expect(await indexesOf('api_keys')).to.not.have.property('api_keys_replacement')
    await up()
    const [statement] = await statementsOf(database.db, () =>
      listReplacedKeys(database.db, tenant.companyId, [newId('apiKey')]),
    )
    const [plan] = await explain(database.db, statement!, [tenant.companyId, true, newId('apiKey')])
    expect(plan).to.include({ key: 'api_keys_replacement' })
  })

  it('of notices keeps statistics and keys that are there, and goes back and forth', async () => {
    const { db } = database
    const { down, up } = stepsOf(notices)
    await down()
    const id = await newWebhook()
    const { keyId } = await createTestTenant(db, 'http://127.0.0.1:1', { companyId: tenant.companyId })
    await db('webhook_stats_hours').insert({ webhook_id: id, starts_at: THEN, shard: 1, class_2xx: 7 })
    expect(await indexesOf('webhook_stats_hours')).to.deep.equal({ webhook_stats_hours_age: 'starts_at' })
    await up()
    const [entry] = await readStats(db, tenant, id, THEN)
    expect(attemptsIn(entry!.figures)).to.equal(7)
    expect(await db('webhook_stats_hours').pluck('failed_deliveries')).to.deep.equal([0])
    expect(await db('api_keys').pluck('id')).to.deep.equal([keyId])
    const failed = { webhook_stats_hours_failed: 'starts_at,failed_deliveries' }
    expect(await indexesOf('webhook_stats_hours')).to.deep.equal(failed)
    expect(await indexesOf('api_keys')).to.include({ api_keys_expiry: 'expires_at' })
    await down()
    expect(await db('webhook_stats_hours').pluck('class_2xx')).to.deep.equal([7])
    expect(await indexesOf('api_keys')).to.not.have.property('api_keys_expiry')
    expect(await db.schema.hasTable('notices')).to.equal(false)
    await up()
    expect(await db('notices')).to.deep.equal([])
  })

  it('of the console and of sign-ins lets users stay who are there, without allowed scopes and second factor', async () => {
    for (const [migration, table, left] of [
      [consoleTables, 'console_sessions', { role: 'admin', allowedScopes: [], hasSecondFactor: false }],
      [signIn, 'rate_limits', { secondFactorLockedAt: null }],
    ] as const) {
      const id = newId('user')
      const who = { id, company_id: tenant.companyId, email: id, active_email: id, name: 'A', role: 'admin' }
      await reapply(migration, (db) => db('users').insert({ ...who, password_hash: 'x', created_at: THEN }))
      expect(await findUser(database.db, tenant.companyId, id)).to.deep.include({ id, ...left })
      expect(await database.db(table)).to.deep.equal([])
    }
  })

  it('of suspended companies suspends none that is there', async () => {
    const company = { id: newId('company'), name: 'A', createdAt: THEN }
    await reapply(companySuspension, (db) => insertCompany(db, company))
    expect(await findCompany(database.db, company.id)).to.deep.equal({
      ...company,
      suspendedAt: null,
      secondFactorRequiredAt: null,
    })
    expect(await isSuspended(database.db, company.id)).to.equal(false)
    expect(await database.db('publish_quotas')).to.deep.equal([])
  })

  it('of turns of recoveries lets those run that were queued when it is taken back', async () => {
    const [webhookId, id] = [await newWebhook(), newId('recovery')]
    const window = { since: THEN, until: THEN, createdAt: THEN }
    await insertRecovery(database.db, tenant, { id, webhookId, kind: 'failed', total: 0, ...window })
    await reapply(recoveryTurns, async (db) => {
      expect(await db('recoveries').where({ id }).pluck('state')).to.deep.equal(['running'])
    })
    const left = await findRecovery(database.db, tenant, webhookId, id)
    expect(left).to.include({ state: 'running', waitsFor: null })
    expect(await indexesOf('recoveries')).to.include({ recoveries_turn: 'company_id,state,created_at,id' })
  })

  describe('of delivery lists', () => {
    const INDEXES = {
      deliveries_due: 'closed_at,parked_at,wake_at',
      deliveries_event: 'unique event_id,webhook_id,resend_no',
      deliveries_list: 'webhook_id,created_at,id',
      deliveries_status: 'webhook_id,status,created_at,id',
      deliveries_tenant: 'company_id,environment,status,created_at,id',
    }
    const { down, up } = stepsOf(deliveryLists)
    const insert = (webhookId: string, columns: object) =>
      insertOpenDeliveries(database.db, 1, { tenant, webhookId, columns })
    const isRefused = (work: Promise<unknown>): Promise<boolean> =>
      work.then(
        () => false,
        (error: unknown) => isDuplicate(error),
      )

    // decision: Indexes of deliveries
    it('leaves five indexes on deliveries and no more, keeps the rows that are there, and goes back and forth', async () => {
      const webhookId = newId('webhook')
      expect(await indexesOf('deliveries')).to.deep.equal(INDEXES)
      await down()
      const before = await indexesOf('deliveries')
      const former = ['event', 'list', 'status', 'wake', 'parked', 'closed']
      expect(Object.keys(before)).to.have.members(former.map((name) => `deliveries_${name}`))
      expect(before['deliveries_event']).to.equal('unique webhook_id,event_id')
      await insert(webhookId, { event_id: 'evt_1' })
      await up()
      expect(await indexesOf('deliveries')).to.deep.equal(INDEXES)
      expect(await database.db('deliveries').pluck('resend_no')).to.deep.equal([0])
      await down()
      expect(await indexesOf('deliveries')).to.deep.equal(before)
      expect(await isRefused(insert(webhookId, { event_id: 'evt_1' }))).to.equal(true)
      await up()
    })

    it('still allows one delivery per event and webhook, whatever publishes twice, unless it has a number', async () => {
      const webhookId = newId('webhook')
      await insert(webhookId, { event_id: 'evt_1' })
      expect(await isRefused(insert(webhookId, { event_id: 'evt_1' }))).to.equal(true)
      expect(await isRefused(insert(newId('webhook'), { event_id: 'evt_1' }))).to.equal(false)
      expect(await isRefused(insert(webhookId, { event_id: 'evt_1', resend_no: 1 }))).to.equal(false)
    })
  })

  // It comes last: its tables are then without what later migrations added.
  describe('of statistics and health', () => {
    it('keeps what the former schema knows of endpoints and deliveries', async () => {
      let id = ''
      await reapply(statsAndHealth, async (db) => {
        id = await newWebhook()
        const health = { consecutive_failures: 30, failing_since: THEN, probe_at: THEN, changed_at: THEN }
        await db('webhook_health').insert({ webhook_id: id, ...health })
        const counters = { pending: 1, retrying: 2, success: 7, last_triggered_at: THEN }
        await db('webhook_counters').insert({ webhook_id: id, shard: 3, ...counters })
      })
      expect((await readHealth(database.db, tenant, id))?.health).to.deep.include({
        consecutiveFailures: 30,
        failingSince: THEN,
        probeAt: THEN,
        lastError: null,
        counted: NONE_COUNTED,
        warnedAt: null,
      })
      const counters = (await readCounters(database.db, tenant, [id])).get(id)
      const shown = { successfulDeliveries: 7, waiting: 3, lastTriggeredAt: THEN, lastSuccessAt: null }
      expect(toWebhookCounters(counters)).to.deep.include(shown)
      expect(await database.db('webhook_stats_hours')).to.deep.equal([])
    })
  })
})
