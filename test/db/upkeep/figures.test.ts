// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { listOpenIds } from '../../../src/db/delivery/figures.ts'
import { newId } from '../../../src/domain/ids.ts'
import { useDatabase } from '../../support/database.ts'
import { enqueueMany } from '../../support/many-rows.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { dueQueue } from '../../../src/db/outbox/queues.ts'
import { measureOutbox } from '../../../src/db/outbox/figures.ts'
import { toHealthRow } from '../../../src/db/webhook/health-rows.ts'
import { HEALTHY } from '../../../src/domain/webhook/health.ts'
import type { Gauge } from 'prom-client'
import { v4, v7 } from 'uuid'
import type { DeliveryRow } from '../../../src/db/delivery/rows.ts'
import { addToCounters } from '../../../src/db/webhook/counters.ts'
import { BacklogLimit } from '../../../src/upkeep/backlog-limit.ts'
import { DeliveryFigures } from '../../../src/upkeep/delivery-figures.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('reading which deliveries are open', () => {
  const its = useOperations()
  beforeEach(() => its.empty('deliveries'))

  const insert = (count: number, columns: object = {}) => its.insertOpen(newId('webhook'), columns, count)
  const PARKED = { wake_at: null, parked_at: new Date() }

  it('finds those that wait and those that are parked, and none that is closed', async () => {
    const open = [...(await insert(3)), ...(await insert(2, PARKED))]
    await insert(2, { status: 'success', wake_at: null })
    const { ids, isWhole } = await listOpenIds(its.db, 10)
    expect(ids).to.have.members(open)
    expect(isWhole).to.equal(true)
    expect(await listOpenIds(its.db, 3)).to.include({ isWhole: false })
  })

  // decision: Figures of deliveries
  it('costs the same however many are open', async () => {
    const reads: number[] = []
    for (const more of [100, 2_000]) {
      await insert(more)
      await insert(more, PARKED)
      await its.db.raw('ANALYZE TABLE deliveries')
      reads.push(await countRowsRead(its.db, (trx) => listOpenIds(trx, 20)))
    }
    expect(reads[1]).to.be.at.most(reads[0]! + 2)
    expect(reads[1]).to.be.at.most(60)
  })
})

// decision: `webhook_outbox_pending`
describe('the figures of the outbox', function () {
  this.timeout(60_000)
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  /** Rows that have been due for these seconds, each in its own queue. */
  const fill = (name: string, rows: number, seconds = 0) =>
    enqueueMany(database.db, 'com_1', rows, (index) => ({
      kind: 'due',
      targetId: `${name}_${index}`,
      queue: dueQueue(`whk_${index}`),
      since: new Date(Date.now() - seconds * 1000),
    }))

  it('are exact while few rows wait, and tell for how long the oldest has been due', async () => {
    await fill('next', 1, -60)
    expect(await measureOutbox(database.db)).to.deep.equal({ pending: 1, oldestSeconds: 0 })
    await fill('new', 20)
    await fill('old', 1, 600)
    const { pending, oldestSeconds } = await measureOutbox(database.db)
    expect(pending).to.equal(22)
    expect(oldestSeconds).to.be.within(599, 700)
  })

  it('leave out for how long first attempts wait for an endpoint that fails', async () => {
    const failing = { ...HEALTHY, consecutiveFailures: 20, probeAt: new Date(Date.now() + 60_000) }
    await database.db('webhook_health').insert(toHealthRow('whk_dead', failing, new Date()))
    const since = new Date(Date.now() - 3_600_000)
    const start = (index: number) =>
      ({ kind: 'start', targetId: `dead_${index}`, queue: 'whk_dead', since }) as const
    await enqueueMany(database.db, 'com_1', 1_100, start)
    await fill('other', 1, 60)
    expect((await measureOutbox(database.db)).oldestSeconds).to.be.within(59, 100)
  })

  it('are an estimate when many rows wait, and cost the same then', async () => {
    const reads: number[] = []
    // Fill every queue with two rows first, because the server reads a queue of one row in one step less.
    await fill('first', 6_000)
    for (const rows of [6_000, 14_000]) {
      await fill(`some_${rows}`, rows)
      await database.db.raw('ANALYZE TABLE outbox')
      reads.push(await countRowsRead(database.db, (trx) => measureOutbox(trx)))
    }
    expect(reads[1]).to.be.at.most(reads[0]! + 50)
    expect((await measureOutbox(database.db)).pending).to.be.within(13_000, 45_000)
  })
})

// decision: Figures of deliveries
describe('the figures of open deliveries', () => {
  const its = useOperations()
  const { tenant } = its
  beforeEach(() => its.empty('webhook_counters', 'deliveries'))

  const setUp = (environment: Record<string, string> = {}) => {
    const deps = its.depsWith(environment)
    const figures = new DeliveryFigures(deps)
    return { figures, metrics: deps.metrics, look: () => new BacklogLimit(deps, figures).look() }
  }
  const valuesOf = async (gauge: Gauge): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await gauge.get()).values.map(({ labels, value }) => [Object.values(labels).join(), value]),
    )
  /** Deliveries of a webhook, which its counters include. */
  async function insert(webhookId: string, columns: Partial<DeliveryRow>, count = 1): Promise<void> {
    await its.insertOpen(webhookId, columns, count)
    await addToCounters(its.db, [{ webhookId, changes: { [columns.status ?? 'retrying']: count } }])
  }

  it('are told by age, which the ids show', async () => {
    const id = await its.newWebhook()
    for (const ms of [1_000, 2_000, 120_000, 7_200_000, 172_800_000])
      await insert(id, { id: `del_${v7({ msecs: Date.now() - ms })}` })
    await insert(id, { id: `del_${v4()}` })
    const { metrics, look } = setUp()
    await look()
    const ages = { under_1m: 2, under_1h: 1, under_1d: 1, older: 1, unknown: 1 }
    expect(await valuesOf(metrics.deliveriesOpen)).to.deep.equal(ages)
  })

  it('are told by the reason for which deliveries are held, of webhooks that are there', async () => {
    const webhooks = await Promise.all([1, 2, 3, 4].map(() => its.newWebhook()))
    const [failing, inactive, healthy, deleted] = webhooks as [string, string, string, string]
    await its.setHealth(failing, { consecutiveFailures: 20, probeAt: new Date() })
    await its.set('webhooks', { id: inactive }, { is_active: false })
    await its.set('webhooks', { id: deleted }, { deleted_at: new Date(), is_active: false })
    for (const id of [failing, inactive, healthy, deleted]) {
      await insert(id, { status: 'pending' }, 2)
      await insert(id, { status: 'retrying', attempts: 1 }, 3)
    }
    await insert(failing, { status: 'retrying', attempts: 6, recovery_base: 6 }, 4)
    await insert(failing, { status: 'pending', retry_seq: 1 })
    await insert(failing, { status: 'pending', event_id: 'evt_test_1' })
    const { metrics, look } = setUp()
    await look()
    const held = { company_suspended: 0, webhook_inactive: 5, endpoint_failing: 6 }
    expect(await valuesOf(metrics.deliveriesHeld)).to.deep.equal(held)
    await its.suspend()
    await look()
    const suspended = { company_suspended: 21, webhook_inactive: 0, endpoint_failing: 0 }
    expect(await valuesOf(metrics.deliveriesHeld)).to.deep.equal(suspended)
  })

  it('take the counters of a failing endpoint for which more wait than are read', async () => {
    const id = await its.newWebhook()
    await its.setHealth(id, { consecutiveFailures: 20, probeAt: new Date() })
    await addToCounters(its.db, [{ webhookId: id, changes: { pending: 7_000, retrying: 3_001 } }])
    const { metrics, look } = setUp()
    await look()
    expect(await valuesOf(metrics.deliveriesHeld)).to.include({ endpoint_failing: 7_000 })
  })

  // decision: Metrics of companies
  it('are told by company only where the operator wants that', async () => {
    await insert(await its.newWebhook(), { status: 'pending' }, 2)
    await insert(await its.newWebhook(), { status: 'retrying' }, 1)
    const wanted = setUp({ METRICS_PER_COMPANY: 'on' })
    await wanted.look()
    const { companyId } = tenant()
    expect(await valuesOf(wanted.metrics.companyDeliveriesOpen)).to.deep.equal({ [companyId]: 3 })
    const other = setUp()
    await other.look()
    expect(await valuesOf(other.metrics.companyDeliveriesOpen)).to.deep.equal({})
  })

  it('are told after a whole walk through the webhooks, and not after a part of one', async () => {
    const { metrics, figures } = setUp()
    for (const isFirst of [false, true]) {
      await figures.add([], { isFirst, isLast: !isFirst })
      expect(await valuesOf(metrics.deliveriesHeld)).to.deep.equal({})
    }
    await figures.add([], { isFirst: false, isLast: true })
    const held = { company_suspended: 0, webhook_inactive: 0, endpoint_failing: 0 }
    expect(await valuesOf(metrics.deliveriesHeld)).to.deep.equal(held)
  })

  it('are no longer told by a worker that another one relieved', async () => {
    const { metrics, figures, look } = setUp({ METRICS_PER_COMPANY: 'on' })
    await insert(await its.newWebhook(), { status: 'pending' })
    await look()
    figures.clear()
    for (const gauge of [metrics.deliveriesOpen, metrics.deliveriesHeld, metrics.companyDeliveriesOpen])
      expect(await valuesOf(gauge)).to.deep.equal({})
  })
})
