// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../../src/domain/actor.ts'
import { createTestEvent } from '../../../../src/domain/event/event.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { newTestEventId } from '../../../../src/domain/ids.ts'
import type { Tenant } from '../../../../src/domain/tenant.ts'
import { MOST_WORK, WORK_PER_VALUE } from '../../../../src/domain/webhook/filter/work.ts'
import { sendEvent } from '../../../../src/operations/delivery/again.ts'
import { createEvents, publishEvents, type EventInput } from '../../../../src/operations/event/publish.ts'
import { readReach, getEvent } from '../../../../src/operations/event/read.ts'
import { SharedPublishes } from '../../../../src/operations/event/shared-publishes.ts'
import { changeResource, createResource } from '../../../../src/operations/resource/change.ts'
import { previewFilter, type PreviewRequest } from '../../../../src/operations/webhook/preview-filter.ts'
import { getWebhook } from '../../../../src/operations/webhook/read.ts'
import { refusalOf, useOperations } from '../../../support/use-operations.ts'
import { inPublish } from '../../../../src/operations/event/write-events.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listSubscribers } from '../../../../src/db/webhook/subscriptions.ts'
import type { CompiledFilter } from '../../../../src/domain/webhook/filter/compile.ts'
import type { FilterCache } from '../../../../src/domain/webhook/filter/cache.ts'
import { statementsOf } from '../../../support/rows-read.ts'

const { deals } = RESOURCE_FAMILIES
const WON = { filter: { 'data.stage': 'won' }, events: ['deal.created', 'deal.stage_changed'] as const }
const DEALS = { events: ['deal.created'] } as const
const deal = (stage: string): EventInput => ({ type: 'deal.created', data: { stage } })

describe('a webhook with a filter', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  const publish = (...events: EventInput[]) => publishEvents(its.deps, tenant(), events)
  const counts = (published: readonly { deliveries: number }[]) =>
    published.map(({ deliveries }) => deliveries)
  const totalOf = async (id: string) => (await its.countersOf(id)).totalDeliveries

  it('gets the events of a batch that match, and counts only these', async () => {
    const [all, won] = [await newWebhook(DEALS), await newWebhook(WON)]
    const published = await publish(deal('won'), deal('lost'), { type: 'deal.created', data: {} })
    expect(counts(published)).to.deep.equal([2, 1, 1])
    expect((await its.rowsOf(won)).map(({ event_id }) => event_id)).to.deep.equal([published[0]?.id])
    expect([await totalOf(all), await totalOf(won)]).to.deep.equal([3, 1])
  })

  it('gets the events that match of publishes that share a transaction', async () => {
    const won = await newWebhook(WON)
    const shared = new SharedPublishes(its.deps)
    const one = (stage: string) => publishEvents(its.deps, tenant(), [deal(stage)], { shared })
    const published = await Promise.all(['won', 'lost', 'won', 'open'].map(one))
    expect(counts(published.flat())).to.deep.equal([1, 0, 1, 0])
    expect(await its.rowsOf(won)).to.have.length(2)
  })

  it('gets the change of a record by its former values', async () => {
    const won = await newWebhook({
      events: ['deal.stage_changed'],
      filter: { 'data.stage': 'won', 'previous.stage': { $ne: 'lost' } },
    })
    for (const stage of ['open', 'lost']) {
      const { id } = await createResource(its.deps, tenant(), deals, { name: 'A deal', stage })
      await changeResource(its.deps, tenant(), deals, id, { stage: 'won' })
    }
    expect(await its.rowsOf(won)).to.have.length(1)
  })

  it('gets every event again without it, and is changed as by any other field', async () => {
    const id = await newWebhook({ ...WON, filter: { 'data.stage': 'open' } })
    const { filter } = await its.change(id, { filter: WON.filter })
    expect(filter).to.deep.equal(WON.filter)
    await publish(deal('lost'))
    expect(await its.change(id, { filter: null })).to.include({ version: 3, filter: null })
    await publish(deal('lost'))
    expect(await its.rowsOf(id)).to.have.length(1)
    expect(await getWebhook(its.deps, tenant(), id)).to.include({ filter: null })
    expect((await its.audited(id)).at(-1)).to.match(/^webhook.update {"fields":\["filter"\],/)
    expect(await refusalOf(its.change(id, { filter: { $where: '1' } }))).to.contain('"filter.$where" is no')
  })

  // decision: Cost of a filter
  it('makes its company publish apart from others when it costs much', async () => {
    const shared = new SharedPublishes(its.deps)
    for (let made = 0; made < 30; made++) await newWebhook({ ...DEALS, filter: { 'data.a': made } })
    const data = { a: Array<string>(MOST_WORK / WORK_PER_VALUE).fill('x') }
    const costly = Array.from({ length: 3 }, () =>
      shared.publish(tenant(), createEvents(its.deps, [{ type: 'deal.created', data }], null)),
    )
    const written = (await Promise.all(costly)).map((events) => events?.map(({ deliveries }) => deliveries))
    expect(written).to.deep.equal([[30], [30], undefined])
  })
})

describe('the preview of a filter', () => {
  const its = useOperations()
  const { tenant } = its
  const REQUEST = { filter: WON.filter, types: ['deal.created', 'deal.updated'], limit: 1_000 }
  const preview = (request: Partial<PreviewRequest> = {}, clock = its.deps.clock) =>
    previewFilter({ ...its.deps, clock }, tenant(), { ...REQUEST, ...request })
  /** Publishes deals in turn, a millisecond apart, and returns their ids. */
  async function publishDeals(...stages: string[]): Promise<string[]> {
    const now = its.deps.clock().getTime()
    const deps = (at: number) => ({ ...its.deps, clock: () => new Date(now - 1_000 + at) })
    const ids = []
    for (const [at, stage] of stages.entries()) {
      const [event] = await publishEvents(deps(at), tenant(), [deal(stage)])
      ids.push(event?.id ?? '')
    }
    return ids
  }

  // decision: Preview of a filter
  it('counts the latest real events of the types that match, and says why of the latest of each kind', async () => {
    const id = await its.newWebhook({ events: ['contact.created'] })
    await its.publish(3)
    await its.db('events').insert(testEventRow(tenant(), id))
    const [first, second, third] = await publishDeals('won', 'lost', 'won')
    expect(await preview()).to.deep.equal({
      examined: 3,
      matched: 2,
      examples: [
        { eventId: third, isMatch: true, because: 'The condition holds.' },
        { eventId: second, isMatch: false, because: 'data.stage is "lost"; it must be "won".' },
        { eventId: first, isMatch: true, because: 'The condition holds.' },
      ],
    })
    expect(await preview({ limit: 2 })).to.include({ examined: 2, matched: 1 })
    expect(await preview({ filter: null })).to.include({ examined: 3, matched: 3 })
    expect(await preview({ since: new Date(Date.now() + 60_000) })).to.include({ examined: 0, matched: 0 })
    expect(await preview({ types: ['task.created'] })).to.include({ examined: 0 })
  })

  it('shows 5 examples of each kind at most, and stops after a second', async () => {
    await publishDeals(...Array<string>(7).fill('won'), ...Array<string>(7).fill('lost'))
    const { examples } = await preview()
    const kinds = [...Array<boolean>(5).fill(false), ...Array<boolean>(5).fill(true)]
    expect(examples.map(({ isMatch }) => isMatch)).to.deep.equal(kinds)
    let ms = 0
    expect((await preview({}, () => new Date((ms += 300)))).examined).to.equal(4)
  })
})

const testEventRow = ({ companyId, environment }: Tenant, webhookId: string) => {
  const { id, type, body, fingerprint, createdAt } = createTestEvent({
    id: newTestEventId(),
    webhookId,
    now: new Date(),
    content: { type: 'deal.created', data: { stage: 'won' } },
  })
  const tenant = { company_id: companyId, environment }
  return { ...tenant, id, type, body, fingerprint, deliveries: 1, remaining: 1, created_at: createdAt }
}

describe('where an event went', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  /** The reasons by webhook. */
  async function reasonsOf(eventId: string) {
    const reach = await readReach(its.deps, tenant(), await getEvent(its.deps, tenant(), eventId))
    return Object.fromEntries(reach.map(({ webhookId, reason }) => [webhookId, reason]))
  }
  const publishOne = async () => (await publishEvents(its.deps, tenant(), [deal('lost')]))[0]!.id

  // decision: Why an event was sent or not
  // decision: Send an event by hand
  it('is told of each webhook with its reason at that time, and of what was sent by hand later, to newer webhooks too', async () => {
    const [all, won, other] = [await newWebhook(DEALS), await newWebhook(WON), await newWebhook()]
    const inactive = await newWebhook({ ...DEALS, isActive: false })
    const deleted = await newWebhook(DEALS)
    const eventId = await publishOne()
    await its.remove(deleted)
    await newWebhook(DEALS)
    const reasons = { [all]: 'delivered_to', [won]: 'filter' }
    const others = { [other]: 'type_not_subscribed', [inactive]: 'inactive' }
    expect(await reasonsOf(eventId)).to.deep.equal({ ...reasons, ...others })
    const [delivery] = await its.rowsOf(all)
    const reach = await readReach(its.deps, tenant(), await getEvent(its.deps, tenant(), eventId))
    expect(reach.map(({ deliveryId }) => deliveryId)).to.have.members([delivery?.id, null, null, null])
    await its.change(won, { filter: null })
    await its.change(other, { events: ['deal.created'] })
    const newer = await newWebhook({ events: ['task.created'] })
    for (const webhookId of [inactive, newer])
      await sendEvent(its.deps, tenant(), COMMAND_LINE, webhookId, { id: eventId, type: 'deal.created' })
    const byHand = { [inactive]: 'sent_by_hand', [newer]: 'sent_by_hand' }
    expect(await reasonsOf(eventId)).to.deep.equal({ ...reasons, ...others, ...byHand })
  })

  it('is told of a test event, and of one older than the retention, only as far as it went', async () => {
    const [all] = [await newWebhook(DEALS), await newWebhook(WON)]
    const eventId = await publishOne()
    const old = { ...its.deps, clock: () => new Date(Date.now() + 31 * 86_400_000) }
    const event = await getEvent(its.deps, tenant(), eventId)
    for (const [deps, shown] of [
      [old, event],
      [its.deps, { ...event, id: newTestEventId() }],
    ] as const) {
      const reach = await readReach(deps, tenant(), shown)
      expect(reach.map(({ webhookId }) => webhookId)).to.deep.equal(deps === old ? [all] : [])
    }
  })
})

describe('a filter of a company with many', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  const publish = (...events: EventInput[]) => publishEvents(its.deps, tenant(), events)

  // decision: Cost of all filters
  it('is refused where those of the tenant would cost a publish too much', async () => {
    const pattern = (n: number) => ({ filter: { 'data.a': { $regex: `a${n}` } } })
    const first = await newWebhook(pattern(0))
    await its.insertWebhooks(49, tenant(), ['deal.created'])
    const setAll = (filter: unknown) =>
      its.set('webhooks', { company_id: tenant().companyId }, { filter: JSON.stringify(filter) })
    await setAll(pattern(1).filter)
    const refused = 'CONFLICT: No more than 50 webhooks may have a filter with $regex.'
    expect(await refusalOf(newWebhook(pattern(2)))).to.equal(refused)
    expect((await its.change(first, pattern(3))).filter).to.deep.equal(pattern(3).filter)
    const other = await newWebhook(WON)
    expect(await refusalOf(its.change(other, pattern(2)))).to.equal(refused)
    await setAll('x'.repeat(4_094))
    const large = 'CONFLICT: The filters of all webhooks may have 200 KiB together.'
    expect(await refusalOf(newWebhook(WON))).to.equal(large)
    await its.change(other, { filter: null })
    expect(await refusalOf(its.change(other, { filter: WON.filter }))).to.equal(large)
    await its.remove(first)
    await newWebhook(WON)
  })

  // decision: Cost of all filters
  it('judges an event before a connection is taken, and once', async () => {
    await newWebhook(WON)
    await publish(deal('lost'))
    const judged: object[] = []
    const filters = {
      has: () => true,
      get: (companyId: string, text: string) => {
        const { work, conditions } = its.deps.filters.get(companyId, text)
        const watched = conditions.map((condition) => ({
          ...condition,
          holds: (envelope: object) => {
            judged.push({ free: its.deps.publishDb.client.pool.numUsed() === 0 })
            return condition.holds(envelope)
          },
        }))
        return (compiled ??= { work, conditions: watched })
      },
    }
    let compiled: CompiledFilter | undefined
    const deps = { ...its.deps, filters: filters as unknown as FilterCache }
    await publishEvents(deps, tenant(), [deal('lost')])
    expect(judged).to.deep.equal([{ free: true }])
  })

  // decision: Cost of all filters
  it('leaves connections to other companies', async () => {
    const { publishDb } = its.deps
    const pool = publishDb.client.pool as { numUsed: () => number }
    const used: number[] = []
    const change = () =>
      inPublish(its.deps, tenant(), async () => {
        used.push(pool.numUsed())
        await nextTurn()
      })
    await Promise.all(Array.from({ length: 12 }, change))
    expect(used).to.have.length(12)
    expect(Math.max(...used)).to.be.at.most(3)
  })

  it('is read once, however many types its webhook subscribes to', async () => {
    const events = ['deal.created', 'deal.updated', 'deal.deleted'] as const
    await newWebhook({ ...WON, events })
    const of = [{ tenant: tenant(), eventTypes: events }]
    const sent = await statementsOf(its.db, () => listSubscribers(its.db, of))
    expect(sent.filter((sql) => /w\.filter(?! IS)/.test(sql))).to.deep.equal([])
    expect(sent).to.have.length(2)
  })
})
