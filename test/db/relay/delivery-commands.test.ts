// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { databaseNow } from '../../../src/db/clock.ts'
import { findDelivery } from '../../../src/db/delivery/deliveries.ts'
import type { DeliveryRow } from '../../../src/db/delivery/rows.ts'
import { closeDeliveries } from '../../../src/db/delivery/open-deliveries.ts'
import { queueDue } from '../../../src/db/outbox/due-queue.ts'
import { retryDelivery } from '../../../src/operations/delivery/again.ts'
import { SLOTS, useCommands } from '../../support/use-commands.ts'
import { parkDelivery } from '../../../src/db/delivery/parked-deliveries.ts'
import { wakeForgottenDeliveries } from '../../../src/db/delivery/forgotten-deliveries.ts'
import { commandRows } from '../../../src/db/outbox/outbox.ts'
import { FAILED_QUEUE, HANDOVER_QUEUE } from '../../../src/db/outbox/queues.ts'
import { run } from '../../../src/db/connection/statements.ts'
import { newId, newTestEventId } from '../../../src/domain/ids.ts'

const ALL = { calls: 10, direct: 10, handovers: 10, pages: 10 }
const failure = (working: Promise<unknown>) =>
  working.then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  )

describe('commands of a delivery', () => {
  const { its, slots, calls, work, waiting, pauseMs } = useCommands()
  const { tenant, newWebhook } = its
  const TEST: Partial<DeliveryRow> = { event_id: newTestEventId(), status: 'pending', max_attempts: 1 }
  const setDelivery = (id: string, columns: Partial<DeliveryRow>) => its.set('deliveries', { id }, columns)
  /** Functions that change a delivery of a webhook, and functions that read the effect. */
  const handle = (webhookId: string, id: string) => ({
    id,
    freeSlots: () => slots().free({ companyId: tenant().companyId, webhookId }),
    shown: () => findDelivery(its.db, tenant(), webhookId, id),
    retry: () => retryDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, id, new Date()),
    setActive: (isActive: boolean) => its.setActive(webhookId, isActive),
    remove: () => its.remove(webhookId),
  })
  async function delivery(columns: Partial<DeliveryRow> = {}) {
    const webhookId = await newWebhook()
    const [id = ''] = await its.insertOpen(webhookId, columns)
    return handle(webhookId, id)
  }
  /** A new delivery with its command. */
  async function published() {
    const { webhookId, id } = await its.delivery()
    return handle(webhookId, id)
  }

  it('stay in the outbox when Temporal cannot be reached, a first attempt as well as a retry', async () => {
    await published()
    await (await delivery()).retry()
    for (const kind of ['retry', 'start']) expect(await failure(work({ calls: 1 })), kind).to.equal('away')
    expect((await waiting()).map(({ kind }) => kind).sort()).to.deep.equal(['retry', 'start'])
  })

  it('cancel a run whose webhook was deleted while Temporal started it, and no other', async () => {
    for (const isDeleted of [true, false]) {
      const { id, remove } = await published()
      await its.db('outbox').delete()
      await run(its.db, commandRows([{ kind: 'handover', targetId: id, queue: HANDOVER_QUEUE, ...tenant() }]))
      let calls = 0
      const callTemporal = async <T>(): Promise<T> => {
        calls += 1
        if (calls === 1 && isDeleted) {
          await remove()
          await closeDeliveries(its.db, [id], 'webhook_deleted')
        }
        return undefined as T
      }
      expect(await work({}, { callTemporal })).to.deep.equal(['handover'])
      expect(calls, `deleted: ${isDeleted}`).to.equal(isDeleted ? 2 : 1)
    }
  })

  it('to start or retry it end without a call when it is closed or gone', async () => {
    const closed = await published()
    await setDelivery(closed.id, { status: 'success' })
    const retried = await delivery()
    await retried.retry()
    await setDelivery(retried.id, { status: 'success' })
    expect((await work()).sort()).to.deep.equal(['retry', 'start'])
    await published()
    await its.db('deliveries').where({ status: 'pending' }).delete()
    expect(await work()).to.include('start')
    expect([await waiting(), calls()]).to.deep.equal([[], 0])
  })

  it('to start or wake it park it when its webhook is inactive, without a call, and give its slot back', async () => {
    const [first, due] = [await published(), await delivery({ next_retry_at: new Date() })]
    await queueDue(its.db, due.id)
    for (const it of [first, due]) await it.setActive(false)
    expect(await work()).to.have.members(['start', 'due'])
    for (const it of [first, due]) {
      expect((await it.shown())?.parkedAt).to.be.an.instanceOf(Date)
      expect(it.freeSlots()).to.equal(SLOTS)
    }
    expect([await waiting(), calls()]).to.deep.equal([[], 0])
    await first.setActive(true)
    expect(await work()).to.deep.equal(['resume-webhook'])
    expect((await waiting()).map(({ kind }) => kind)).to.deep.equal(['wake'])
    expect(await first.shown()).to.include({ parkedAt: null, status: 'pending' })
  })

  it('to start it start a workflow when its webhook is deleted, which closes it, and for a test event, though its webhook is inactive', async () => {
    for (const isTest of [false, true]) {
      const it = await published()
      if (isTest) await setDelivery(it.id, TEST)
      await it.setActive(false)
      if (!isTest) await it.remove()
      expect(await failure(work({ pages: 0 }))).to.equal('away')
      expect((await it.shown())?.parkedAt ?? null).to.equal(null)
      await its.db('outbox').delete()
    }
  })

  for (const [what, status, freeSlots] of [
    ['hold the slot of a delivery that is about to be woken', 'retrying', SLOTS - 1],
    ['give the slot of a delivery back that was closed while it waited', 'success', SLOTS],
  ] as const)
    it(what, async () => {
      const it = await delivery({ next_retry_at: new Date() })
      await queueDue(its.db, it.id)
      await setDelivery(it.id, { status })
      expect(await failure(work())).to.equal('away')
      expect(it.freeSlots()).to.equal(freeSlots)
    })

  // decision: Retry of a test event
  it('to retry a test event wait while its first attempt is on its way', async () => {
    const it = await delivery(TEST)
    await it.retry()
    const before = await databaseNow(its.db)
    expect(await work()).to.deep.equal(['retry'])
    expect((await waiting())[0]).to.include({ kind: 'retry', tries: 0 })
    expect(await pauseMs(before)).to.be.at.least(200)
    expect(calls()).to.equal(0)
  })

  const over: Readonly<Record<string, Partial<DeliveryRow>>> = {
    'after its first attempt': { attempts: 1, status: 'failed' },
    'that nobody waits for any more': { created_at: new Date(Date.now() - 3_600_000) },
  }
  for (const [when, columns] of Object.entries(over))
    it(`to retry a test event go out ${when}`, async () => {
      const it = await delivery({ ...TEST, ...columns })
      await it.retry()
      expect(await failure(work())).to.equal('away')
      expect(calls()).to.equal(1)
    })
})

describe('commands about a delivery whose direct attempt is on its way', () => {
  const { its, claim, work, waiting, pauseMs, calls } = useCommands()
  const { tenant } = its
  const inTemporal = async (id: string) => (await its.rowOf(id)).in_temporal
  const kinds = async () => (await waiting()).map(({ kind }) => kind).sort()

  it('to retry it wait while the attempt is on its way, and note that a workflow will follow', async () => {
    const { id, webhookId } = await its.delivery()
    await claim(ALL)
    await retryDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, id, new Date())
    expect(await inTemporal(id)).to.equal(1)
    const before = await databaseNow(its.db)
    expect(await work(ALL)).to.deep.equal(['retry'])
    expect(await pauseMs(before)).to.be.at.least(200)
    expect([await kinds(), calls()]).to.deep.equal([['retry', 'start'], 0])
  })

  it('to close it for a deleted webhook wait for its record, or for the end of its lease', async () => {
    const { id, webhookId } = await its.delivery()
    await claim(ALL)
    await its.remove(webhookId)
    const before = await databaseNow(its.db)
    expect(await work(ALL)).to.deep.equal(['cancel-webhook'])
    expect(await its.rowOf(id)).to.include({ status: 'pending' })
    expect(await pauseMs(before)).to.be.at.least(200)
    await its.db('outbox').update({ available_at: new Date(0) })
    expect([await failure(work({ ...ALL, direct: 0 })), calls()]).to.deep.equal(['away', 1])
  })

  it('queue its first attempt again after an activation when no workflow was ever started, and when nothing would make it', async () => {
    const { id, webhookId } = await its.delivery()
    await its.setActive(webhookId, false)
    expect(await parkDelivery(its.db, id, webhookId)).to.equal(true)
    await its.setActive(webhookId, true)
    await work({ ...ALL, direct: 0 })
    expect([await kinds(), await inTemporal(id)]).to.deep.equal([['start'], 0])
    await its.db('outbox').delete()
    await its.set('deliveries', { id }, { wake_at: new Date(0) })
    await wakeForgottenDeliveries(its.db, 'overdue', { afterMs: 3_600_000, from: undefined, limit: 10 })
    expect(await kinds()).to.deep.equal(['start'])
  })

  it('leave at most their part of the calls to workflows after direct attempts, those that failed for good last', async () => {
    const handovers = (queue: string, count: number) =>
      Array.from({ length: count }, () => ({
        kind: 'handover' as const,
        targetId: newId('delivery'),
        queue,
        companyId: tenant().companyId,
      }))
    await run(its.db, commandRows([...handovers(FAILED_QUEUE, 3), ...handovers(HANDOVER_QUEUE, 3)]))
    const queues = async (room: object) => (await claim(room)).map(({ queue }) => queue)
    expect(await queues({ calls: 10, handovers: 0 })).to.deep.equal([])
    expect(await queues({ calls: 10, handovers: 2 })).to.deep.equal([HANDOVER_QUEUE, HANDOVER_QUEUE])
    expect(await queues({ calls: 1, handovers: 2 })).to.deep.equal([HANDOVER_QUEUE])
    expect(await queues({ calls: 10, handovers: 2 })).to.deep.equal([FAILED_QUEUE, FAILED_QUEUE])
  })

  it('leave a call to such a workflow while retries by hand want more than there are', async () => {
    const { id, webhookId } = await its.delivery()
    await retryDelivery(its.deps, tenant(), COMMAND_LINE, webhookId, id, new Date())
    const handover = {
      kind: 'handover',
      targetId: newId('delivery'),
      queue: HANDOVER_QUEUE,
      ...tenant(),
    } as const
    await run(its.db, commandRows([handover]))
    const kindsOf = async (room: object) =>
      (await claim({ ...ALL, calls: 1, direct: 0, ...room })).map(({ kind }) => kind)
    expect(await kindsOf({ keptForHandovers: 1 })).to.deep.equal(['handover'])
    expect(await kindsOf({ keptForHandovers: 1 }), 'where none waits').to.deep.equal(['retry'])
  })

  // decision: Direct attempts at once
  it('take no call of Temporal for direct attempts', async () => {
    await its.delivery()
    expect(await claim({ calls: 0, direct: 0 })).to.have.length(0)
    expect(await claim({ calls: 0, direct: 1 })).to.have.length(1)
  })
})
