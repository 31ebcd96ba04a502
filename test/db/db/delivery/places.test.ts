// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import type { Db } from '../../../../src/db/connection/connection.ts'
import { deliveryListing } from '../../../../src/db/delivery/listing.ts'
import { findDeliveryPlaces } from '../../../../src/db/delivery/places.ts'
import type { DeliveryRow } from '../../../../src/db/delivery/rows.ts'
import { findEventPlaces } from '../../../../src/db/event/event-places.ts'
import { insertEvents } from '../../../../src/db/event/events.ts'
import { findPlaces } from '../../../../src/db/list-places.ts'
import { DELIVERY_STATUSES } from '../../../../src/domain/delivery/delivery.ts'
import type { DeliveryFilter } from '../../../../src/domain/delivery/lists.ts'
import { createEvent } from '../../../../src/domain/event/event.ts'
import { newId } from '../../../../src/domain/ids.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import type { Place } from '../../../../src/domain/list-cursor.ts'
import { useDatabase } from '../../../support/database.ts'
import { insertOpenDeliveries, insertWebhooks } from '../../../support/many-rows.ts'
import { countRowsRead, expectAlongIndex } from '../../../support/rows-read.ts'
import { foreignTenants } from '../../../support/use-operations.ts'

/** A tenth of the real row limits. The time limit is too long for a slow machine to reach it. */
const LIMITS = { rows: 1_000, rowsAtOnce: 100, ms: 600_000 }

// decision: Filters of deliveries
// decision: What a list reads
describe('the places of a list of deliveries', function () {
  this.timeout(60_000)
  const database = useDatabase()
  let tenant: Tenant
  let webhookIds: string[]
  beforeEach(async () => {
    tenant = { companyId: newId('company'), environment: 'live' }
    webhookIds = await insertWebhooks(database.db, tenant, 2, ['contact.created'])
  })

  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)
  const insert = (columns: Partial<DeliveryRow>, count = 1, webhookId = webhookIds[0]!) =>
    insertOpenDeliveries(database.db, count, { tenant, webhookId, columns })

  type Part = { filter?: DeliveryFilter; limit?: number; before?: Place; webhookId?: string }
  type Search = Part & { db?: Db; limits?: typeof LIMITS }
  const find = ({ filter = {}, limit = 50, before, webhookId, db = database.db, limits }: Search = {}) => {
    const scope = { tenants: [tenant], webhookId }
    const part = { limit, before }
    return limits
      ? findPlaces(db, deliveryListing(scope, filter), part, limits)
      : findDeliveryPlaces(db, scope, filter, part)
  }

  /** The ids of the whole list, and the number of parts read. */
  async function walk(search: Search): Promise<{ ids: string[]; parts: number }> {
    const ids: string[] = []
    for (let parts = 1, before: Place | undefined; ; parts++) {
      const { places, next } = await find({ ...search, ...(before && { before }) })
      ids.push(...places.map(({ id }) => id))
      if (!next) return { ids, parts }
      before = next
    }
  }

  const event = () => {
    const id = newId('event')
    return { ...createEvent({ id, type: 'contact.created', data: {}, now: new Date() }), deliveries: 1 }
  }

  // decision: Lists by cursor
  it('are those of all statuses in one order, without gap or repeat, also where many are of one moment', async () => {
    const made: Place[] = []
    for (let n = 0; n < 60; n++) {
      const createdAt = at(Math.floor(n / 7))
      const columns = { status: DELIVERY_STATUSES[(n * 7) % 4]!, created_at: createdAt }
      for (const id of await insert(columns, 1, webhookIds[n % 2])) made.push({ id, createdAt })
    }
    made.sort((a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? 1 : -1))
    const ids = made.map(({ id }) => id)
    expect(await walk({ limit: 7 })).to.deep.equal({ ids, parts: 9 })
    const some = await walk({ limit: 7, webhookId: webhookIds[1]! })
    const rows = await database.db('deliveries').where({ webhook_id: webhookIds[1] }).pluck<string[]>('id')
    expect(some.ids).to.deep.equal(ids.filter((id) => rows.includes(id)))
  })

  it('leave out those of deleted webhooks, of other tenants, and of a purge in between', async () => {
    const kept = await insert({ created_at: at(1) })
    await insert({ created_at: at(2) }, 3, webhookIds[1])
    await database.db('webhooks').where({ id: webhookIds[1] }).update({ deleted_at: new Date() })
    for (const foreign of foreignTenants(tenant)) {
      const [webhookId] = await insertWebhooks(database.db, foreign, 1, ['contact.created'])
      await insertOpenDeliveries(database.db, 1, { tenant: foreign, webhookId: webhookId! })
    }
    expect((await walk({ limit: 2 })).ids).to.deep.equal(kept)
  })

  it('cost no more rows for more deliveries, neither at the beginning nor in the middle', async () => {
    await insert({ created_at: at(1) }, 2_000)
    await insert({ status: 'failed', created_at: at(2) }, 50, webhookIds[1])
    const middle = (await find({ limit: 1_000 })).places.at(-1)!
    for (const before of [{}, { before: middle }])
      for (const webhookId of [{}, { webhookId: webhookIds[0]! }]) {
        const search = { limit: 10, ...before, ...webhookId }
        expect(await countRowsRead(database.db, (db) => find({ ...search, db }))).to.be.at.most(400)
      }
  })

  it('are searched among a limited number of rows: a filter that fits few gives an empty part that goes on', async () => {
    const wanted = await insert({ event_type: 'deal.created', created_at: at(0) })
    await insert({ created_at: at(1) }, 1_200)
    const filter = { statuses: ['retrying'], eventType: 'deal.created' } as const
    const { places, next } = await find({ filter, limits: LIMITS })
    expect(places).to.deep.equal([])
    const sameMoment = { company_id: tenant.companyId, created_at: at(1) }
    const looked = await database.db('deliveries').where(sameMoment).where('id', '>=', next!.id).pluck('id')
    expect(looked).to.have.length(LIMITS.rows)
    const rest = { places: [{ id: wanted[0], createdAt: at(0) }], next: undefined }
    expect(await find({ filter, before: next!, limits: LIMITS })).to.deep.equal(rest)
    const { ids, parts } = await walk({ filter: { eventType: 'deal.created' }, limits: LIMITS })
    expect(ids).to.deep.equal(wanted)
    expect(parts).to.be.within(2, 3)
  })

  it('include one whose status changes while the search reads on', async () => {
    await insert({ created_at: at(1) }, 100)
    const [moving] = await insert({ event_type: 'deal.created', created_at: at(2) })
    await insert({ created_at: at(3) }, 250)
    let searches = 0
    let change: Promise<unknown> | undefined
    const changeOnce = ({ sql }: { sql: string }) => {
      if (sql.includes('range_number') && ++searches === 3)
        change = database.db('deliveries').where({ id: moving }).update({ status: 'success' })
    }
    database.db.on('query', changeOnce)
    const { places } = await find({ filter: { eventType: 'deal.created' }, limits: LIMITS })
    database.db.removeListener('query', changeOnce)
    expect(await change).to.equal(1)
    expect(places.map(({ id }) => id)).to.deep.equal([moving])
  })

  it('of one event are found by the event, whatever else the tenant has', async () => {
    const ids: string[] = []
    for (const [n, webhookId] of webhookIds.entries())
      ids.unshift(...(await insert({ event_id: 'evt_shared', created_at: at(n) }, 1, webhookId)))
    await insert({ created_at: at(9) }, 300)
    await insert({ event_id: 'evt_shared', created_at: at(9) }, 1, newId('webhook'))
    expect(await walk({ filter: { eventId: 'evt_shared' }, limit: 1 })).to.deep.equal({ ids, parts: 2 })
    const one = { eventId: 'evt_shared', statuses: ['retrying'], createdAfter: at(1) } as const
    expect((await walk({ filter: one })).ids).to.deep.equal(ids.slice(0, 1))
    expect((await walk({ filter: one, webhookId: webhookIds[0]! })).ids).to.deep.equal([])
    expect((await walk({ filter: { ...one, response: '2xx' } })).ids).to.deep.equal([])
    const read = await countRowsRead(database.db, (db) => find({ filter: { eventId: 'evt_shared' }, db }))
    expect(read).to.be.at.most(40)
  })

  // decision: Indexes of deliveries
  it('are read along an index, whatever is asked for', async () => {
    await insert({}, 500)
    for (const owner of [tenant, ...foreignTenants(tenant)])
      await insertEvents(database.db, owner, Array.from({ length: 500 }, event))
    await database.db.raw('ANALYZE TABLE deliveries, events, webhooks')
    const before = { id: newId('delivery'), createdAt: new Date() }
    const filters: DeliveryFilter[] = [
      {},
      { statuses: ['failed'], createdAfter: at(0) },
      { eventType: 'a', response: '2xx', createdBefore: new Date() },
      { eventId: 'evt_1' },
    ]
    const searches = await expectAlongIndex(database.db, async () => {
      for (const filter of filters)
        for (const webhookId of [{}, { webhookId: webhookIds[0]! }]) {
          await find({ filter, ...webhookId })
          await find({ filter, before, ...webhookId })
        }
      await findEventPlaces(database.db, tenant, { eventType: 'a' }, { limit: 50, before })
    })
    expect(searches).to.be.above(10)
  })
})
