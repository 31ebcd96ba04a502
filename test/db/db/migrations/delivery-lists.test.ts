import { expect } from 'chai'
import { deliveryLists } from '../../../../src/db/migrations/012-delivery-lists.ts'
import { migrationSource } from '../../../../src/db/migrations/index.ts'
import { isDuplicate } from '../../../../src/domain/database-errors.ts'
import { newId } from '../../../../src/domain/ids.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { insertOpenDeliveries } from '../../../support/many-rows.ts'

const COLUMNS: Readonly<Record<string, string>> = {
  deliveries_due: 'closed_at,parked_at,wake_at',
  deliveries_event: 'event_id,webhook_id,resend_no unique',
  deliveries_list: 'webhook_id,created_at,id',
  deliveries_status: 'webhook_id,status,created_at,id',
  deliveries_tenant: 'company_id,environment,status,created_at,id',
}

describe('the migration of delivery lists', function () {
  this.timeout(60_000)
  const tenant: Tenant = { companyId: newId('company'), environment: 'live' }
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.drop())

  const options = { migrationSource, name: deliveryLists.name }
  const down = () => database.db.migrate.down(options)
  const up = () => database.db.migrate.up(options)

  /** The columns of each secondary index of deliveries. */
  async function indexes(): Promise<Record<string, string>> {
    const [rows] = (await database.db.raw('SHOW INDEX FROM deliveries')) as [
      { Key_name: string; Column_name: string; Non_unique: number }[],
    ]
    const names = [...new Set(rows.map(({ Key_name }) => Key_name))]
      .filter((name) => name !== 'PRIMARY')
      .sort()
    const columnsOf = (name: string) => {
      const parts = rows.filter(({ Key_name }) => Key_name === name)
      return parts.map(({ Column_name }) => Column_name).join() + (parts[0]?.Non_unique ? '' : ' unique')
    }
    return Object.fromEntries(names.map((name) => [name, columnsOf(name)]))
  }
  const insert = (webhookId: string, columns: object) =>
    insertOpenDeliveries(database.db, 1, { tenant, webhookId, columns })
  const refused = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return isDuplicate(error)
  }

  // decision: Indexes of deliveries
  it('leaves five indexes on deliveries, and no more', async () => {
    expect(await indexes()).to.deep.equal(COLUMNS)
  })

  it('keeps the rows that are there, and goes back and forth', async () => {
    const webhookId = newId('webhook')
    await down()
    const before = await indexes()
    expect(Object.keys(before)).to.have.members([
      ...['deliveries_event', 'deliveries_list', 'deliveries_status'],
      ...['deliveries_wake', 'deliveries_parked', 'deliveries_closed'],
    ])
    expect(before['deliveries_event']).to.equal('webhook_id,event_id unique')
    await insert(webhookId, { event_id: 'evt_1' })
    await up()
    expect(await indexes()).to.deep.equal(COLUMNS)
    expect(await database.db('deliveries').pluck('resend_no')).to.deep.equal([0])
    await down()
    expect(await indexes()).to.deep.equal(before)
    expect(await refused(insert(webhookId, { event_id: 'evt_1' }))).to.equal(true)
  })

  it('still allows one delivery per event and webhook, whatever publishes twice, unless it has a number', async () => {
    const webhookId = newId('webhook')
    await insert(webhookId, { event_id: 'evt_1' })
    expect(await refused(insert(webhookId, { event_id: 'evt_1' }))).to.equal(true)
    expect(await refused(insert(newId('webhook'), { event_id: 'evt_1' }))).to.equal(false)
    expect(await refused(insert(webhookId, { event_id: 'evt_1', resend_no: 1 }))).to.equal(false)
  })
})
