import { expect } from 'chai'
import { publishEvents, type EventInput } from '../../../../src/operations/event/publish.ts'
import { inPublish } from '../../../../src/operations/event/write-events.ts'
import { nextTurn } from '../../../../src/domain/turn.ts'
import { listSubscribers } from '../../../../src/db/webhook/subscriptions.ts'
import type { CompiledFilter } from '../../../../src/domain/webhook/filter/compile.ts'
import type { KnownFilters } from '../../../../src/domain/webhook/filter/known.ts'
import { refusalOf } from '../../../support/refusals.ts'
import { statementsOf } from '../../../support/rows-read.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'
import { useOperations } from '../../../support/use-operations.ts'

const WON = { filter: { 'data.stage': 'won' }, events: ['deal.created'] as const }
const deal = (stage: string): EventInput => ({ type: 'deal.created', data: { stage } })

describe('a filter of a company with many', () => {
  const its = useOperations()
  const { tenant, newWebhook } = its
  const publish = (...events: EventInput[]) => publishEvents(its.deps, tenant(), events)

  // decision: Cost of all filters
  it('is refused where those of the tenant would cost a publish too much', async () => {
    const pattern = (n: number) => ({ filter: { 'data.a': { $regex: `a${n}` } } })
    const first = await newWebhook(pattern(0))
    await insertWebhooks(its.db, tenant(), 49, ['deal.created'])
    for (const { id } of (await its.db('webhooks').where({ company_id: tenant().companyId })) as {
      id: string
    }[])
      await its.set('webhooks', { id }, { filter: JSON.stringify(pattern(1).filter) })
    const refused = 'CONFLICT: No more than 50 webhooks may have a filter with $regex.'
    expect(await refusalOf(newWebhook(pattern(2)))).to.equal(refused)
    expect((await its.change(first, pattern(3))).filter).to.deep.equal(pattern(3).filter)
    const other = await newWebhook(WON)
    expect(await refusalOf(its.change(other, pattern(2)))).to.equal(refused)
    await its.set(
      'webhooks',
      { company_id: tenant().companyId },
      { filter: JSON.stringify('x'.repeat(4_094)) },
    )
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
    const deps = { ...its.deps, filters: filters as unknown as KnownFilters }
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
    const sent = await statementsOf(its.db, () =>
      listSubscribers(its.db, [{ tenant: tenant(), eventTypes: events }]),
    )
    expect(sent.filter((sql) => /w\.filter(?! IS)/.test(sql))).to.deep.equal([])
    expect(sent).to.have.length(2)
  })
})
