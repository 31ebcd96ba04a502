import { expect } from 'chai'
import type { DeliveryRow } from '../../../src/db/delivery/rows.ts'
import { newId } from '../../../src/domain/ids.ts'
import { insertOpenDeliveries, insertWebhooks } from '../../support/many-rows.ts'
import { readToEnd, verdictOf, type ApiAnswer, type Json, createTestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

const DELIVERIES = '/api-v1-deliveries'
const EVENTS = '/api-v1-events'

describe('lists of deliveries and events', () => {
  const use = useStack('quiet')
  const get = (path: string): Promise<ApiAnswer> => use.tenant.request('GET', path)
  const eventsOf = ({ body }: ApiAnswer): string[] => body.data.map((one: Json) => one.event_id ?? one.id)
  const webhook = (...events: string[]) => createTestWebhook(use.stack, use.tenant, { events })
  const publish = async (id: string, event = 'contact.created') => {
    expect((await use.tenant.request('POST', EVENTS, { id, event, data: { name: id } })).status).to.equal(201)
  }
  const own = () => ({ company_id: use.tenant.tenant.companyId })
  const change = (eventId: string, columns: Partial<DeliveryRow>) =>
    use.stack.set('deliveries', { ...own(), event_id: eventId }, columns)

  /** Publishes events in turn, each in a different millisecond. */
  async function publishInOrder(...ids: string[]): Promise<Date[]> {
    const times: Date[] = []
    for (const [n, id] of ids.entries()) {
      await publish(id)
      const created_at = new Date(Date.UTC(2026, 0, 1, 0, 0, n))
      await change(id, { created_at })
      await use.stack.set('events', { ...own(), id }, { created_at })
      times.push(created_at)
    }
    return times
  }

  const walk = async (path: string): Promise<string[]> =>
    (await readToEnd(use.tenant, path)).map((one) => one.event_id ?? one.id)

  // decision: Filters of deliveries
  it('show what their filters let through, for all webhooks and for one', async () => {
    const { id } = await webhook('contact.created')
    const [, second, third] = await publishInOrder('evt_1', 'evt_2', 'evt_3', 'evt_4')
    await change('evt_1', { status: 'success', attempts: 1, response_code: 200 })
    await change('evt_2', { status: 'failed', attempts: 1, response_code: 600 })
    await change('evt_3', { status: 'retrying', attempts: 1, event_type: 'deal.created' })
    const cases: [string, string[]][] = [
      ['status=failed,success', ['evt_2', 'evt_1']],
      ['event_type=deal.created', ['evt_3']],
      ['event_type=test.webhook', []],
      ['event_id=evt_4', ['evt_4']],
      ['response=4xx', []],
      ['response=5xx', ['evt_2']],
      ['response=none&status=pending,retrying', ['evt_4', 'evt_3']],
      [`created_after=${second!.toISOString()}`, ['evt_4', 'evt_3', 'evt_2']],
      [`created_before=${third!.toISOString()}&response=2xx`, ['evt_1']],
    ]
    const { id: thirdId } = (await get(`${DELIVERIES}?event_id=evt_3`)).body.data[0]
    cases.push([`delivery_id=${thirdId as string}`, ['evt_3']])
    cases.push([`delivery_id=${thirdId as string}&event_id=evt_3&status=retrying`, ['evt_3']])
    cases.push([`delivery_id=${thirdId as string}&status=failed`, []])
    cases.push([`delivery_id=${newId('delivery')}`, []])
    for (const [query, events] of cases) {
      expect(await walk(`${DELIVERIES}?${query}&limit=1`), query).to.deep.equal(events)
      expect(await walk(`/api-v1-webhooks/${id}/deliveries?${query}`), query).to.deep.equal(events)
    }
    const inWindow = `created_after=${second!.toISOString()}&created_before=${third!.toISOString()}`
    expect(await walk(`${EVENTS}?${inWindow}`)).to.deep.equal(['evt_2'])
    expect(await walk(`${EVENTS}?event_type=contact.created&limit=3`)).to.have.length(4)
    expect(await walk(`${EVENTS}?event_type=deal.created`)).to.deep.equal([])
  })

  // decision: Filters of deliveries
  it('of a webhook come by page with a total, or by cursor once that or another filter is asked for', async () => {
    const { id } = await webhook('contact.created')
    await publishInOrder('evt_1', 'evt_2', 'evt_3')
    const list = `/api-v1-webhooks/${id}/deliveries`
    const byPage = await get(`${list}?status=pending,failed&page=2&limit=2&payload=false`)
    expect(eventsOf(byPage)).to.deep.equal(['evt_1'])
    expect(byPage.body.pagination).to.deep.equal({ total: 3, limit: 2, page: 2, has_more: false })
    expect((await get(list)).body.pagination).to.deep.equal({ total: 3, limit: 50, page: 1, has_more: false })
    for (const query of [
      'cursor=',
      'response=none',
      'event_id=evt_1',
      'created_before=2027-01-01T00:00:00Z',
    ]) {
      const { body } = await get(`${list}?${query}&limit=50`)
      expect(body.pagination, query).to.deep.equal({ limit: 50, has_more: false, next_cursor: null })
    }
  })

  // decision: Fields
  // decision: One event
  it('show one event with its payload and its deliveries, at most 100 of them', async () => {
    const { id: webhookId } = await webhook('contact.created')
    await publish('evt_1')
    const { data } = (await get(`${EVENTS}/evt_1`)).body
    expect(data).to.include({ id: 'evt_1', event: 'contact.created', record: null, record_name: 'evt_1' })
    expect(data.payload).to.deep.include({ id: 'evt_1', data: { name: 'evt_1' } })
    expect(data.deliveries).to.deep.equal((await get(`${DELIVERIES}?payload=false`)).body.data)
    expect(data.deliveries[0]).to.include({ webhook_id: webhookId, status: 'pending', next_retry_at: null })
    expect(data.deliveries[0]).to.not.have.any.keys('delivered_at', 'payload')
    const { db } = use.stack
    for (const other of await insertWebhooks(db, use.tenant.tenant, 100, ['task.created'])) {
      const columns = { event_id: 'evt_1', created_at: new Date(0) }
      await insertOpenDeliveries(db, 1, { tenant: use.tenant.tenant, webhookId: other, columns })
    }
    expect((await get(`${EVENTS}/evt_1`)).body.data.deliveries).to.have.length(100)
    expect(await walk(`${DELIVERIES}?event_id=evt_1&limit=60`)).to.have.length(101)
  })

  // decision: Who sees what
  it('show nothing to another company, nor to another environment', async () => {
    const { id } = await webhook('contact.created')
    await publish('evt_1')
    const { companyId } = use.tenant.tenant
    const [{ id: deliveryId }] = (await get(DELIVERIES)).body.data
    for (const options of [{}, { companyId, environment: 'test' as const }]) {
      const foreign = await use.stack.tenant(options)
      const ask = async (path: string) => {
        const answer = await foreign.request('GET', path)
        return answer.status === 200 ? answer.body.data : verdictOf(answer)
      }
      for (const query of ['', '?event_id=evt_1', `?delivery_id=${deliveryId}`])
        expect(await ask(`${DELIVERIES}${query}`), query).to.deep.equal([])
      expect(await ask(EVENTS)).to.deep.equal([])
      for (const path of [`${EVENTS}/evt_1`, `/api-v1-webhooks/${id}/deliveries?cursor=`])
        expect(await ask(path), path).to.equal('404 NOT_FOUND')
    }
  })

  // decision: Lists by cursor
  it('refuse what they cannot serve, and say what to do', async () => {
    const { id } = await webhook('contact.created')
    const { id: other } = await webhook('contact.created')
    await publishInOrder('evt_1', 'evt_2')
    const list = `/api-v1-webhooks/${id}/deliveries`
    const cursorOf = async (path: string) =>
      (await get(`${path}&limit=1`)).body.pagination.next_cursor as string
    const cursor = await cursorOf(`${DELIVERIES}?payload=true`)
    expect((await get(`${DELIVERIES}?cursor=${cursor}&limit=100&payload=false`)).status).to.equal(200)
    const day = (number: number) => `2026-01-0${number}T00:00:00Z`
    const window = `created_after=${day(2)}&created_before=${day(1)}`
    const cases: [string, RegExp][] = [
      [`${DELIVERIES}?page=1`, /^"page" is not possible here: leave it out, and send next_cursor/],
      [`${EVENTS}?page=2`, /^"page" is not possible here/],
      [`${list}?page=1&cursor=`, /^"page" goes with limit, status and payload alone, not with cursor: leave/],
      [`${list}?page=1&response=2xx&event_id=evt_1`, /not with event_id, response: leave page out/],
      [`${DELIVERIES}?cursor=${cursor}&status=pending`, /^The cursor is not one of this list/],
      [`${EVENTS}?cursor=${cursor}`, /^The cursor is not one of this list/],
      [`${list}?cursor=${cursor}`, /^The cursor is not one of this list/],
      [
        `${list}?cursor=${await cursorOf(`/api-v1-webhooks/${other}/deliveries?cursor=`)}`,
        /^The cursor is not one of this list/,
      ],
      [`${EVENTS}?${window}`, /"created_before" is earlier than "created_after"/],
      [`${EVENTS}?status=failed`, /"status" is not known/],
    ]
    for (const [path, message] of cases) {
      const refused = await get(path)
      expect(verdictOf(refused), path).to.equal('400 VALIDATION_ERROR')
      expect(refused.body.error.message, path).to.match(message)
    }
  })
})
