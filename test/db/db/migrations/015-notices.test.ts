import { expect } from 'chai'
import { notices } from '../../../../src/db/migrations/015-notices.ts'
import { migrationSource } from '../../../../src/db/migrations/index.ts'
import { readStats } from '../../../../src/db/webhook/stats.ts'
import { newId } from '../../../../src/domain/ids.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import { attemptsIn } from '../../../../src/domain/webhook/stats.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { createTestTenant } from '../../../support/tenants.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'

describe('the migration of notices', function () {
  this.timeout(60_000)
  const tenant: Tenant = { companyId: newId('company'), environment: 'live' }
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.drop())

  const options = { migrationSource, name: notices.name }
  const down = () => database.db.migrate.down(options)
  const up = () => database.db.migrate.up(options)
  /** `name: columns` of each index of the table. */
  async function indexes(table: string): Promise<string[]> {
    const [rows] = (await database.db.raw('SHOW INDEX FROM ??', [table])) as [
      { Key_name: string; Column_name: string }[],
    ]
    const names = [...new Set(rows.map(({ Key_name }) => Key_name))].sort()
    return names.map((name) => {
      const columns = rows.filter(({ Key_name }) => Key_name === name).map(({ Column_name }) => Column_name)
      return `${name}: ${columns.join()}`
    })
  }

  it('keeps statistics and keys that are there, and goes back and forth', async () => {
    const { db } = database
    await down()
    const [id = ''] = await insertWebhooks(db, tenant, 1, ['contact.created'])
    const { keyId } = await createTestTenant(db, 'http://127.0.0.1:1', { companyId: tenant.companyId })
    const startsAt = new Date('2026-01-05T12:00:00.000Z')
    await db('webhook_stats_hours').insert({ webhook_id: id, starts_at: startsAt, shard: 1, class_2xx: 7 })
    expect(await indexes('webhook_stats_hours')).to.deep.equal([
      ...['PRIMARY: webhook_id,starts_at,shard', 'webhook_stats_hours_age: starts_at'],
    ])
    await up()
    const [entry] = await readStats(db, tenant, id, startsAt)
    expect(attemptsIn(entry!.figures)).to.equal(7)
    expect(await db('webhook_stats_hours').pluck('failed_deliveries')).to.deep.equal([0])
    expect(await db('api_keys').pluck('id')).to.deep.equal([keyId])
    expect(await indexes('webhook_stats_hours')).to.deep.equal([
      'PRIMARY: webhook_id,starts_at,shard',
      'webhook_stats_hours_failed: starts_at,failed_deliveries',
    ])
    expect(await indexes('api_keys')).to.include('api_keys_expiry: expires_at')
    await down()
    expect(await db('webhook_stats_hours').pluck('class_2xx')).to.deep.equal([7])
    expect(await indexes('api_keys')).to.not.include('api_keys_expiry: expires_at')
    expect(await db.schema.hasTable('notices')).to.equal(false)
    await up()
    expect(await db('notices')).to.deep.equal([])
  })
})
