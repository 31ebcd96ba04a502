// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import {
  addToCounters,
  readCounters,
  totalOf,
  toWebhookCounters,
  transition,
  type CounterChange,
} from '../../../../src/db/webhook/counters.ts'
import { foreignTenants } from '../../../support/foreign-tenants.ts'
import { insertWebhooks } from '../../../support/webhook-rows.ts'
import { useOperations } from '../../../support/use-operations.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day))

describe('counters of a webhook', () => {
  const its = useOperations()
  let id: string
  beforeEach(async () => {
    id = (await insertWebhooks(its.db, its.tenant(), 1, ['contact.created']))[0]!
  })

  const add = (...changes: Omit<CounterChange, 'webhookId'>[]) =>
    addToCounters(
      its.db,
      changes.map((change) => ({ webhookId: id, ...change })),
    )
  const sums = async (owner = its.tenant()) => (await readCounters(its.db, owner, [id])).get(id)
  const NONE = { pending: 0, retrying: 0, success: 0, failed: 0, purgedSuccess: 0, purgedFailed: 0 }

  it('are the sums of all changes, of one batch and of many at once', async () => {
    await add({ changes: { pending: 2 } }, { changes: { pending: 1, failed: 1 } })
    const moves = Array.from({ length: 20 }, () => add({ changes: transition('pending', 'success') }))
    await Promise.all(moves)
    await add({ changes: { purgedSuccess: 3, purgedFailed: 1, retrying: 5 } })
    expect(await sums()).to.deep.equal({
      ...{ pending: -17, retrying: 5, success: 20, failed: 1, purgedSuccess: 3, purgedFailed: 1 },
      ...{ lastTriggeredAt: null, lastSuccessAt: null },
    })
  })

  for (const [given, shown, other] of [
    ['triggeredAt', 'lastTriggeredAt', 'lastSuccessAt'],
    ['succeededAt', 'lastSuccessAt', 'lastTriggeredAt'],
  ] as const) {
    // decision: Time of the latest success
    it(`show the latest time as ${shown}, in whatever order attempts are counted`, async () => {
      const changed = (day: number, pending = 0) => ({ changes: { pending }, [given]: at(day) })
      await add({ changes: {} }, changed(2), changed(1))
      expect(await sums()).to.deep.include({ ...NONE, [shown]: at(2) })
      // Often enough to meet every one of the rows that the counters are kept in.
      for (let n = 0; n < 60; n++) await add(changed(1, 1), { changes: {} })
      expect(await sums()).to.deep.include({ pending: 60, [shown]: at(2) })
      await add(changed(3))
      expect(await sums()).to.deep.include({ [shown]: at(3), [other]: null })
    })
  }

  it('keep the webhooks of a batch apart', async () => {
    const [other = ''] = await insertWebhooks(its.db, its.tenant(), 1, ['contact.created'])
    await addToCounters(its.db, [
      ...[id, other, id].map((webhookId) => ({ webhookId, changes: { failed: 1 } })),
    ])
    const read = await readCounters(its.db, its.tenant(), [id, other])
    expect([id, other].map((webhookId) => read.get(webhookId)?.failed)).to.deep.equal([2, 1])
  })

  it('are shown to the tenant of the webhook alone', async () => {
    await add({ changes: { pending: 1 } })
    for (const other of foreignTenants(its.tenant())) expect(await sums(other)).to.equal(undefined)
    expect(await sums()).to.include({ pending: 1 })
  })

  it('are absent, and count as 0, before the first delivery', async () => {
    await add()
    expect(await sums()).to.equal(undefined)
    expect(totalOf(undefined, undefined)).to.equal(0)
  })

  it('lower the totals of lists by purged deliveries, but not the figures of the webhook', async () => {
    const counted = { pending: 1, retrying: 2, success: 30, failed: 40 }
    await add({ changes: { ...counted, purgedSuccess: 10, purgedFailed: 5 }, triggeredAt: at(1) })
    const found = await sums()
    const totals = (['pending', 'retrying', 'success', 'failed'] as const).map((status) =>
      totalOf(found, status),
    )
    expect([...totals, totalOf(found, undefined)]).to.deep.equal([1, 2, 20, 35, 58])
    expect(toWebhookCounters(found)).to.deep.equal({
      ...{ totalDeliveries: 73, successfulDeliveries: 30, failedDeliveries: 40, waiting: 3 },
      ...{ lastTriggeredAt: at(1), lastSuccessAt: null },
    })
  })
})
