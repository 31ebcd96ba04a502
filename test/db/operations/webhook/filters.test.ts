// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { readCounters, toWebhookCounters } from '../../../../src/db/webhook/counters.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { MOST_WORK } from '../../../../src/domain/webhook/filter/work.ts'
import { createEvents, publishEvents, type EventInput } from '../../../../src/operations/event/publish.ts'
import { SharedPublishes } from '../../../../src/operations/event/shared-publishes.ts'
import { changeResource } from '../../../../src/operations/resource/change.ts'
import { createResource } from '../../../../src/operations/resource/create.ts'
import { getWebhook } from '../../../../src/operations/webhook/read.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { useOperations } from '../../../support/use-operations.ts'

const { deals } = RESOURCE_FAMILIES
const WON = { filter: { 'data.stage': 'won' }, events: ['deal.created', 'deal.stage_changed'] as const }
const deal = (stage: string): EventInput => ({ type: 'deal.created', data: { stage } })

describe('a webhook with a filter', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  const publish = (...events: EventInput[]) => publishEvents(its.deps, tenant(), events)
  const counts = (published: readonly { deliveries: number }[]) =>
    published.map(({ deliveries }) => deliveries)
  const totalOf = async (id: string) =>
    toWebhookCounters((await readCounters(its.db, tenant(), [id])).get(id)).totalDeliveries

  it('gets the events of a batch that match, and counts only these', async () => {
    const all = await newWebhook({ events: ['deal.created'] })
    const won = await newWebhook(WON)
    const published = await publish(deal('won'), deal('lost'), { type: 'deal.created', data: {} })
    expect(counts(published)).to.deep.equal([2, 1, 1])
    expect((await its.rowsOf(won)).map(({ event_id }) => event_id)).to.deep.equal([published[0]?.id])
    expect([await totalOf(all), await totalOf(won)]).to.deep.equal([3, 1])
  })

  it('gets the events that match of publishes that share a transaction', async () => {
    const won = await newWebhook(WON)
    const shared = new SharedPublishes(its.deps)
    const stages = ['won', 'lost', 'won', 'open']
    const published = await Promise.all(
      stages.map((stage) => publishEvents(its.deps, tenant(), [deal(stage)], { shared })),
    )
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

  // decision: Counting before filters
  it('counts as a subscriber, whatever its filter, where a request would make too many deliveries', async () => {
    const deps = { ...its.deps, config: { ...its.deps.config, webhooksPerTenant: 1_000 } }
    for (let made = 0; made < 101; made++) await newWebhook(WON)
    const events = Array.from({ length: 100 }, () => deal('lost'))
    const refused = await refusalOf(publishEvents(deps, tenant(), events))
    expect(refused).to.contain('would make 10100 deliveries')
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
    expect((await its.audited(id)).at(-1)).to.equal('webhook.update {"fields":["filter"]}')
    expect(await refusalOf(its.change(id, { filter: { $where: '1' } }))).to.contain('"filter.$where" is no')
  })

  // decision: Cost of a filter
  it('makes its company publish apart from others when it costs much', async () => {
    const shared = new SharedPublishes(its.deps)
    for (let made = 0; made < 30; made++)
      await newWebhook({ events: ['deal.created'], filter: { 'data.a': made } })
    const data = { a: Array<string>(MOST_WORK / 10).fill('x') }
    const costly = Array.from({ length: 3 }, () =>
      shared.publish(tenant(), createEvents(its.deps, [{ type: 'deal.created', data }])),
    )
    const written = (await Promise.all(costly)).map((events) => events?.map(({ deliveries }) => deliveries))
    expect(written).to.deep.equal([[30], [30], undefined])
  })
})
