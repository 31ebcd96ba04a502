// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { RecordedAttempt } from '../../../src/domain/delivery/transitions.ts'
import { Recorder } from '../../../src/attempts/recorder.ts'
import type { SystemDb } from '../../../src/db/connection/connection.ts'
import { readCounters } from '../../../src/db/webhook/counters.ts'
import type { DeliveryRow } from '../../../src/db/delivery/rows.ts'
import type { EventType } from '../../../src/domain/event/catalog.ts'
import { newId } from '../../../src/domain/ids.ts'
import type { MadeAttempt } from '../../../src/domain/delivery/outcome.ts'
import { createLog } from '../../../src/deps/log.ts'
import { createMetrics, type Metrics } from '../../../src/deps/metrics.ts'
import { useDatabase } from '../../support/database.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { answered, insertNewDeliveries, madeAttempt } from '../../support/made-attempts.ts'
import { whileRefused } from '../../support/refused-writes.ts'
import { whileOpen } from '../../support/lock-waits.ts'
import { untilSo } from '../../support/poll.ts'
import { insertWebhooks } from '../../support/many-rows.ts'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { FAILED_QUEUE, HANDOVER_QUEUE } from '../../../src/db/outbox/queues.ts'
import { useOperations } from '../../support/use-operations.ts'

const tenant = { companyId: 'com_1', environment: 'live' as const }
/** The time after which the caller of an outcome gives up. */
const [NEVER, AT_ONCE] = [Infinity, 0]

describe('recording what came of attempts', () => {
  const database = useDatabase()
  let told: RecordedAttempt[] = []
  let metrics: Metrics
  beforeEach(() => {
    told = []
    metrics = createMetrics({ perCompany: true })
  })

  const none = () => undefined
  const newRecorder = (batchDb = database.batchDb) =>
    new Recorder(
      { batchDb, log: createLog('test', 'silent'), clock: () => new Date(), metrics },
      {
        attemptLog: { recorded: (attempt) => told.push(attempt), endpointChanged: none },
        limits: newLimits(database),
        stats: { add: none },
        recoveries: { recorded: none },
      },
    )

  const webhookOf = new Map<string, string>()
  async function insert(webhookId: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId('delivery'))
    for (const id of ids) webhookOf.set(id, webhookId)
    return insertNewDeliveries(database.db, tenant, webhookId, { ids, maxAttempts: 2 })
  }
  const made = (id: string, status: number, attemptsAtGate = 0): MadeAttempt =>
    madeAttempt(id, webhookOf.get(id) ?? '', answered(status), { attemptsAtGate })

  it('keeps counters and rows equal, however many attempts are recorded at once', async () => {
    const [webhookId = ''] = await insertWebhooks(database.db, tenant, 1, ['contact.created'])
    const ids = await insert(webhookId, 150)
    const recorder = newRecorder()
    await Promise.all(ids.map((id, index) => recorder.record(made(id, index % 3 === 0 ? 500 : 200), NEVER)))
    const rows = await database.db<DeliveryRow>('deliveries').where({ webhook_id: webhookId })
    const count = (status: string) => rows.filter((row) => row.status === status).length
    expect([count('success'), count('retrying')]).to.deep.equal([100, 50])
    const sums = (await readCounters(database.db, tenant, [webhookId])).get(webhookId)
    expect(sums).to.include({ success: 100, retrying: 50, pending: -150, failed: 0 })
    expect(await database.db('attempts').whereIn('delivery_id', ids)).to.have.length(150)
  })

  it('counts and reports each attempt once, when its outcome is committed, however often it comes', async () => {
    const [ids, recorder] = [await insert('whk_told', 20), newRecorder()]
    const decisions = await Promise.all([...ids, ...ids].map((id) => recorder.record(made(id, 500), NEVER)))
    expect(decisions.filter(({ kind }) => kind === 'recorded')).to.have.length(20)
    const rows = await database.db<DeliveryRow>('deliveries').whereIn('id', ids)
    for (const row of rows) expect(row).to.include({ attempts: 1, status: 'retrying' })
    expect(told.map(({ made: { deliveryId } }) => deliveryId)).to.have.members(ids)
    expect(told.every(({ companyId }) => companyId === tenant.companyId)).to.equal(true)
  })

  // decision: Outcomes gather
  it('begins no two batches within 10 ms, so that outcomes that come meanwhile share one', async () => {
    const ids = await insert('whk_gathered', 20)
    const recorder = newRecorder()
    const begunAt = performance.now()
    for (const id of ids) await recorder.record(made(id, 200), NEVER)
    // A timer may fire a fraction of a millisecond early.
    expect(performance.now() - begunAt).to.be.at.least(9 * (ids.length - 1))
  })

  // decision: Metrics of companies
  it('counts the deliveries that it closes by outcome and reason, each once, and by company', async () => {
    const ids = await insert('whk_counted', 4)
    const recorder = newRecorder()
    const [open, failed, ...succeeded] = ids
    await Promise.all([open, failed].map((id) => recorder.record(made(id!, 500), NEVER)))
    await recorder.record(made(failed!, 500, 1), NEVER)
    const twice = [...succeeded, ...succeeded]
    await Promise.all(twice.map((id) => recorder.record(made(id, 200), NEVER)))
    const text = await metrics.registry.metrics()
    expect(text.match(/^webhook_(company_)?deliveries_closed_total.*$/gm)).to.have.members([
      'webhook_deliveries_closed_total{outcome="failed",reason="attempts_used"} 1',
      'webhook_deliveries_closed_total{outcome="success",reason="none"} 2',
      'webhook_company_deliveries_closed_total{company_id="com_1",outcome="failed"} 1',
      'webhook_company_deliveries_closed_total{company_id="com_1",outcome="success"} 2',
    ])
  })

  it('holds an outcome that cannot be written, says that it is stuck, and writes it later', async () => {
    const [id] = await insert('whk_stuck', 1)
    const recorder = newRecorder()
    const { recorded } = await whileRefused(database.db, 'INSERT ON attempts', async () => {
      const recorded = recorder.record(made(id!, 200), NEVER)
      await untilSo(() => recorder.isStuck())
      return { recorded }
    })
    expect((await recorded).kind).to.equal('recorded')
    expect(recorder.isStuck()).to.equal(false)
  })

  it('writes the other outcomes of a batch when one of them cannot be written', async () => {
    const ids = await insert('whk_poison', 20)
    const poison = ids[7]!
    const recorder = newRecorder()
    const limitOf = (id: string) => (id === poison ? AT_ONCE : NEVER)
    const record = () => Promise.allSettled(ids.map((id) => recorder.record(made(id, 200), limitOf(id))))
    const isPoison = `NEW.delivery_id = '${poison}'`
    const results = await whileRefused(database.db, 'INSERT ON attempts', record, isPoison)
    expect(ids.filter((_id, index) => results[index]?.status === 'rejected')).to.deep.equal([poison])
  })

  // decision: Locks
  it('delays only the outcome whose row another transaction locks, remembers it so that nothing is sent again, and does not say that the database is away', async () => {
    const [held, ...others] = await insert('whk_held', 20)
    const recorder = newRecorder()
    const blocker = await database.db.transaction()
    await blocker('deliveries').where({ id: held! }).forUpdate()
    const outcome = made(held!, 200)
    const recorded = recorder.record(outcome, NEVER)
    const refused = recorder.record(outcome, AT_ONCE).catch(String)
    for (const id of others) expect((await recorder.record(made(id, 200), NEVER)).kind).to.equal('recorded')
    expect(await refused).to.match(/locked/)
    expect([recorder.unrecorded(held!), recorder.isStuck()]).to.deep.equal([outcome, false])
    await blocker.commit()
    expect((await recorded).kind).to.equal('recorded')
    expect(recorder.unrecorded(held!)).to.equal(undefined)
  })

  // decision: Locks
  it('records attempts of an endpoint whose health another transaction locks, and writes that once it is free', async () => {
    const [id] = await insert('whk_health', 1)
    const health = () => database.db('webhook_health').where({ webhook_id: 'whk_health' })
    await health().insert({ webhook_id: 'whk_health', changed_at: new Date() })
    const recorder = newRecorder()
    const record = () => recorder.record(made(id!, 500), AT_ONCE)
    const recorded = await whileOpen(
      database.db,
      (trx) =>
        health()
          .transacting(trx as Knex.Transaction)
          .forUpdate(),
      record,
    )
    expect([recorded.kind, (await health().first()).consecutive_failures]).to.deep.equal(['recorded', 0])
    await untilSo(async () => {
      recorder.heal()
      return (await health().first()).consecutive_failures === 1
    })
  })

  it('sends again once it is healed, also when outcomes that were written could not be written once more', async () => {
    const ids = await insert('whk_twice', 50)
    let isLost = false
    const pool = database.batchDb.client as Knex.Client
    const acquireConnection = () =>
      isLost
        ? Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNREFUSED' }))
        : (pool.acquireConnection() as Promise<unknown>)
    const client = { acquireConnection, releaseConnection: (one: unknown) => pool.releaseConnection(one) }
    const recorder = newRecorder({ client } as unknown as SystemDb)
    const first = ids.map((id) => recorder.record(made(id, 200), NEVER))
    const again = ids.map((id) => recorder.record(made(id, 200), AT_ONCE))
    void first[0]?.then(() => (isLost = true))
    expect((await Promise.allSettled(first)).every(({ status }) => status === 'fulfilled')).to.equal(true)
    expect((await Promise.allSettled(again)).every(({ status }) => status === 'rejected')).to.equal(true)
    expect(recorder.isStuck()).to.equal(true)
    isLost = false
    await untilSo(() => {
      recorder.heal()
      return !recorder.isStuck()
    })
    expect(told).to.have.length(50)
  })
})

// decision: Direct first attempts
describe('recording a direct attempt', () => {
  const its = useOperations()
  const { newWebhook, publish } = its
  beforeEach(() => its.db('outbox').delete())

  /** A delivery that worker w1 has claimed, with the outcome of its attempt. */
  async function attempted(status: number, maxRetries = 3, type: EventType = 'contact.created') {
    const webhookId = await newWebhook({ maxRetries, events: [type] })
    await publish(1, type)
    const [{ row } = { row: undefined }] = await claim(webhookId, 'w1')
    const directLease = { rowId: row!.id, version: row!.version, owner: 'w1' }
    const made = madeAttempt(row!.targetId, webhookId, answered(status), { directLease })
    const record = async () => (await recordBatch(its.deps.batchDb, [made])).decisions.get(made.deliveryId)
    return { id: made.deliveryId, webhookId, record }
  }
  const claim = (queue: string, owner: string) => its.claim(queue, { owner, leaseMs: 0, rows: 1 })
  const rowOf = (id: string) => its.db('deliveries').where({ id }).first('status', 'attempts', 'in_temporal')
  const outbox = () => its.db('outbox').select('kind', 'subject_id', 'lane')
  const makers = (id: string): Promise<string[]> =>
    its.db('attempts').where({ delivery_id: id }).pluck('made_by')

  for (const [maxRetries, status, lane] of [
    [3, 'retrying', HANDOVER_QUEUE],
    [0, 'failed', FAILED_QUEUE],
  ] as const) {
    // The lease of the claim has ended, and no other worker has claimed the row.
    it(`queues the workflow of a delivery that is ${status}, in the transaction that records the attempt, also after its lease`, async () => {
      const { id, record } = await attempted(500, maxRetries)
      await record()
      expect(await rowOf(id)).to.deep.equal({ status, attempts: 1, in_temporal: 1 })
      expect(await outbox()).to.deep.equal([{ kind: 'handover', subject_id: id, lane }])
    })
  }

  it('drops a failure when another worker has claimed the row, which may be sending, and ends a success without Temporal all the same', async () => {
    const [failed, done] = [await attempted(500), await attempted(200, 3, 'deal.created')]
    for (const { webhookId } of [failed, done]) await claim(webhookId, 'w2')
    expect(await failed.record()).to.deep.equal({ kind: 'stale' })
    expect(await rowOf(failed.id)).to.deep.equal({ status: 'pending', attempts: 0, in_temporal: 0 })
    await done.record()
    expect(await rowOf(done.id)).to.deep.equal({ status: 'success', attempts: 1, in_temporal: 0 })
    expect([await makers(failed.id), await makers(done.id)]).to.deep.equal([[], ['worker']])
    expect(await outbox()).to.deep.equal([{ kind: 'start', subject_id: failed.id, lane: failed.webhookId }])
  })
})
