// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { deliveryListing } from '../../../src/db/delivery/listing.ts'
import { searchPlaces } from '../../../src/db/search-places.ts'
import type { SearchTerms } from '../../../src/domain/search.ts'
import type { Place } from '../../../src/domain/list-cursor.ts'
import { listOverviews } from '../../../src/operations/delivery/overview.ts'
import { listEvents } from '../../../src/operations/event/read.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import { insertManyDeliveries } from '../../support/many-rows.ts'
import { expectAlongIndex } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'

const DAY_MS = 86_400_000

// decision: Search
describe('a search', function () {
  this.timeout(60_000)
  const its = useOperations()
  const { tenant } = its
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS)

  const publish = (id: string, data: object, more: { subject?: string } = {}) =>
    publishEvents(its.deps, tenant(), [{ id, type: 'contact.created', data, ...more }])
  /** Moves an event and its deliveries into the past. */
  async function age(id: string, days: number): Promise<void> {
    const moved = { created_at: ago(days) }
    await its.set('events', { company_id: tenant().companyId, id }, moved)
    await its.set('deliveries', { company_id: tenant().companyId, event_id: id }, moved)
  }
  type Request = SearchTerms & { limit?: number; cursor?: string; createdAfter?: Date; webhookId?: string }
  const events = ({ limit = 50, cursor, ...filter }: Request, of = tenant()) =>
    listEvents(its.deps, of, { limit, cursor, filter, withPayload: false }, () => Promise.resolve())
  const deliveries = ({ limit = 50, cursor, webhookId, ...filter }: Request, of = tenant()) =>
    listOverviews(its.deps, { tenants: [of], webhookId }, { limit, cursor, filter, withPayload: false })
  const eventIds = async (request: Request, of = tenant()) =>
    (await events(request, of)).items.map(({ id }) => id)
  const sentIds = async (request: Request, of = tenant()) =>
    (await deliveries(request, of)).items.map(({ delivery }) => delivery.eventId)

  const expectNothingForOthers = async (request: Request) => {
    for (const foreign of its.foreign())
      expect([await eventIds(request, foreign), await sentIds(request, foreign)]).to.deep.equal([[], []])
  }

  it('finds text of the payload, of the URL and of the answer, and takes no character for a wildcard', async () => {
    const webhookId = await its.newWebhook({ url: 'https://billing.example.com/in' })
    const other = await its.newWebhook({ url: 'https://other.example.com/' })
    await its.set('webhooks', { id: other }, { is_active: false })
    await publish('evt_1', { email: 'Ada@Example.com', note: 'says "hi\\ho"' })
    await publish('evt_2', { name: 'Grün 100%', key: 'a_b' })
    await its.set('deliveries', { event_id: 'evt_2' }, { response_body: 'no such plan: Gold' })
    const cases: [string, string[], string[]][] = [
      ['ada@example.COM', ['evt_1'], ['evt_1']],
      ['"hi\\ho"', ['evt_1'], ['evt_1']],
      ['"email":"Ada', ['evt_1'], ['evt_1']],
      ['Grün', ['evt_2'], ['evt_2']],
      ['100%', ['evt_2'], ['evt_2']],
      ['1%0', [], []],
      ['a_b', ['evt_2'], ['evt_2']],
      ['a_x', [], []],
      ['Gr_n', [], []],
      ['%%%', [], []],
      ['such plan: gold', [], ['evt_2']],
      ['BILLING.example', [], ['evt_2', 'evt_1']],
      ["' OR 1=1 -- ", [], []],
    ]
    for (const [text, ofEvents, ofDeliveries] of cases) {
      expect(await eventIds({ text }), text).to.deep.equal(ofEvents)
      expect(await sentIds({ text }), text).to.deep.equal(ofDeliveries)
      expect(await sentIds({ text, webhookId }), text).to.deep.equal(ofDeliveries)
      await expectNothingForOthers({ text })
    }
  })

  it('looks through 7 days or the given window, says so on each page, and finds an exact id of any age', async () => {
    await its.newWebhook()
    for (const [id, days] of Object.entries({ evt_old: 8, evt_3: 3, evt_2: 2, evt_1: 1 })) {
      await publish(id, { name: 'Ada' })
      await age(id, days)
    }
    const first = await events({ text: 'Ada', limit: 2 })
    expect(first.items.map(({ id }) => id)).to.deep.equal(['evt_1', 'evt_2'])
    const { since, until } = first.search!
    expect(first.search).to.include({ isComplete: false })
    const second = await events({ text: 'Ada', limit: 2, cursor: first.nextCursor! })
    expect(second.items.map(({ id }) => id)).to.deep.equal(['evt_3'])
    expect(second.search).to.deep.include({ since, until, searchedSince: since, isComplete: true })
    expect(await eventIds({ text: 'Ada', createdAfter: ago(9) })).to.have.length(4)
    const [old] = await its.db('deliveries').where({ event_id: 'evt_old', company_id: tenant().companyId })
    expect(await sentIds({ text: 'Ada' })).to.deep.equal(['evt_1', 'evt_2', 'evt_3'])
    for (const text of ['evt_old', old.id as string])
      expect(await sentIds({ text })).to.deep.equal(['evt_old'])
    expect(await eventIds({ text: 'evt_old' })).to.deep.equal(['evt_old'])
    expect(await eventIds({ text: 'evt_old', createdAfter: ago(7) })).to.deep.equal([])
  })

  it('finds what happened to a record by its exact id, from whichever release the event is', async () => {
    const webhooks = [await its.newWebhook(), await its.newWebhook()]
    await publish('evt_1', { name: 'Ada' }, { subject: 'con_1' })
    await publish('evt_2', { id: 'con_1' })
    await publish('evt_3', { id: 17 })
    await publish('evt_4', { contact: 'con_1' })
    await publish('evt_5', { id: 'con_1' }, { subject: 'con_11' })
    for (const [n, id] of ['evt_1', 'evt_2'].entries()) await age(id, 20 - n)
    // Leave the row as a process of a former release does.
    for (const id of ['evt_1', 'evt_4'])
      await its.set('events', { company_id: tenant().companyId, id }, { record_id: null })
    const cases: [string, string[]][] = [
      ['con_1', ['evt_2', 'evt_1']],
      ['con_11', ['evt_5']],
      ['17', ['evt_3']],
      ['con_', []],
      ['CON_1', []],
    ]
    for (const [record, ids] of cases) {
      expect(await eventIds({ record }), record).to.deep.equal(ids)
      expect(await sentIds({ record, webhookId: webhooks[1]! }), record).to.deep.equal(ids)
      await expectNothingForOthers({ record })
    }
    expect(await eventIds({ record: 'con_1', text: 'Ada' })).to.deep.equal(['evt_1'])
    const { items } = await events({ record: 'con_1', limit: 9 })
    expect(items.map(({ record }) => record)).to.deep.equal(['con_1', null])
    const { nextCursor } = await deliveries({ record: 'con_1', limit: 3 })
    expect(await sentIds({ record: 'con_1', cursor: nextCursor! })).to.deep.equal(['evt_1'])
    expect(await sentIds({ record: 'con_1', createdAfter: ago(19.5) })).to.deep.equal(['evt_2', 'evt_2'])
  })

  // decision: Names of records
  it('names the record in each row as the stored body does, with payloads and without, up to 16 KiB', async () => {
    const webhookId = await its.newWebhook()
    const rest = (bytes: number) => ({ name: 'Ada', rest: 'x'.repeat(bytes) })
    const cases: [string, object, string | null][] = [
      ['evt_1', { name: 'Ada & Söhne' }, 'Ada & Söhne'],
      ['evt_2', { id: 17, other: 'Ada' }, null],
      ['evt_3', { name: '€'.repeat(201) }, '€'.repeat(200)],
      ['evt_4', rest(9_000), 'Ada'],
      ['evt_5', rest(17_000), null],
      ['evt_6', { name: '<img src=x onerror=alert(1)>' }, '<img src=x onerror=alert(1)>'],
    ]
    for (const [id, data] of cases) await publish(id, data)
    const expected = cases.map(([id, , name]) => [id, name]).reverse()
    for (const withPayload of [false, true]) {
      const request = { limit: 9, filter: {}, withPayload }
      const listed = await listEvents(its.deps, tenant(), request, () => Promise.resolve())
      const found = listed.items.map(({ id, recordName, payload }) => [id, recordName, payload !== null])
      expect(found).to.deep.equal(expected.map((named) => [...named, withPayload]))
      const { items } = await listOverviews(its.deps, { tenants: [tenant()], webhookId }, request)
      const sent = items.map(({ delivery: { eventId: id, ...of } }) => [
        id,
        of.recordName,
        of.payload !== null,
      ])
      expect(sent).to.deep.equal(found)
    }
  })

  it('looks at many rows in bounded parts, none twice and none left out, also where all are of one moment', async () => {
    const webhookId = await its.newWebhook()
    await insertManyDeliveries(its.db, 4_000, { tenant: tenant(), webhookId }, 'failed')
    const rows = its.db('deliveries').where({ webhook_id: webhookId })
    const ids = await rows.clone().orderBy('id').pluck<string[]>('id')
    const some = ids.filter((_id, n) => n % 3 === 0)
    await rows.clone().whereIn('id', some).update({ status: 'success', response_body: 'needle' })
    const wanted = some.filter((_id, n) => n % 100 === 0)
    await rows.clone().whereIn('id', wanted).update({ response_body: 'a needle in the hay' })
    const listing = deliveryListing({ tenants: [tenant()] }, { text: 'needle in' })
    const limits = { ms: 60_000, rows: 1_000, firstStep: 200 }
    const found: string[] = []
    let [examined, parts] = [0, 0]
    for (let before: Place | undefined, isFirst = true; isFirst || before; isFirst = false) {
      const part = await searchPlaces(its.db, listing, { limit: 10, before }, limits)
      found.push(...part.places.map(({ id }) => id))
      expect(part.examined).to.be.below(1_000 + 2 * 2_000)
      examined += part.examined
      parts += 1
      before = part.next
    }
    expect(found).to.deep.equal(wanted.toReversed())
    expect(parts).to.be.within(2, 20)
    expect(examined).to.be.at.least(4_000)
  })

  it('reads along an index, and the rows of its step alone', async () => {
    const webhookId = await its.newWebhook()
    await insertManyDeliveries(its.db, 2_000, { tenant: tenant(), webhookId }, 'failed')
    await its.db.raw('ANALYZE TABLE deliveries, events, webhooks')
    const searches = await expectAlongIndex(its.db, async () => {
      for (const terms of [{ text: 'none' }, { record: 'con_1' }, { record: 'con_2', text: 'none' }]) {
        await events(terms)
        await deliveries(terms)
        await deliveries({ ...terms, webhookId })
      }
    })
    expect(searches).to.be.above(9)
  })
})
