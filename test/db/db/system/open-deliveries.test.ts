import { expect } from 'chai'
import type { DeliveryRow } from '../../../../src/db/delivery/rows.ts'
import { closeDeliveries, listOpenDeliveries } from '../../../../src/db/system/open-deliveries.ts'
import {
  parkDelivery,
  unparkDeliveries,
  type WalkPosition,
} from '../../../../src/db/system/parked-deliveries.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { close, park, resume } from '../../../../src/domain/delivery/transitions.ts'
import { readDelivery } from '../../../support/deliveries.ts'
import { whileHeld } from '../../../support/lock-waits.ts'
import { useDeliveries } from '../../../support/use-deliveries.ts'

const PARKED = { wake_at: null, parked_at: new Date('2026-01-01T00:00:00.000Z') }

describe('open deliveries', () => {
  const { db, tenant, webhookId, setWebhook, deactivate, insert, enqueue, queued, counters } = useDeliveries()
  const insertOne = async (columns: Partial<DeliveryRow> = {}) => (await insert(1, columns))[0]!
  const rowOf = (id: string) => db()<DeliveryRow>('deliveries').where({ id }).first()
  const read = (id: string) => readDelivery(db(), id)
  const unpark = (limit = 100, from?: WalkPosition) =>
    unparkDeliveries(db(), { webhookId: webhookId(), companyId: tenant().companyId }, { from, limit })

  for (const status of ['pending', 'retrying'] as const) {
    it(`are closed as the rule of a ${status} one says, without what they waited for`, async () => {
      const id = await insertOne({ status })
      await enqueue(id, 'start', 'due', 'retry')
      const before = await read(id)
      expect(await closeDeliveries(db(), [id], 'webhook_deleted')).to.deep.equal({ closed: 1, held: 0 })
      expect(await read(id)).to.deep.equal(close(before, 'webhook_deleted'))
      const row = await rowOf(id)
      expect([row?.wake_at, row?.closed_at]).to.deep.equal([null, row?.closed_at ?? 'a time'])
      expect(await queued()).to.deep.equal(['retry'])
      expect(await counters()).to.include({ [status]: 0, failed: 1 })
    })
  }

  it('are closed alone: what is closed or gone stays as it is', async () => {
    const id = await insertOne({ status: 'success' })
    const before = await rowOf(id)
    const closing = await closeDeliveries(db(), [id, newId('delivery')], 'webhook_deleted')
    expect(closing).to.deep.equal({ closed: 0, held: 0 })
    expect(await rowOf(id)).to.deep.equal(before)
    expect(await counters()).to.include({ success: 1, failed: 0 })
  })

  for (const status of ['pending', 'retrying'] as const) {
    it(`are parked as the rule of a ${status} one says, while their webhook is inactive`, async () => {
      await deactivate()
      const id = await insertOne({ status })
      await enqueue(id, 'start', 'due', 'retry')
      const before = await read(id)
      expect(await parkDelivery(db(), id, webhookId())).to.equal(true)
      const after = await read(id)
      expect(after.parkedAt).to.be.an.instanceOf(Date)
      expect(after).to.deep.equal(park(before, after.parkedAt!))
      expect(await rowOf(id)).to.include({ wake_at: null, closed_at: null })
      expect(await queued()).to.deep.equal(['retry'])
    })
  }

  it('are not parked when their webhook is active or deleted, or they are closed', async () => {
    const id = await insertOne()
    await enqueue(id, 'start')
    const before = await rowOf(id)
    expect(await parkDelivery(db(), id, webhookId())).to.equal(false)
    await setWebhook({ is_active: false, deleted_at: new Date() })
    expect(await parkDelivery(db(), id, webhookId())).to.equal(false)
    await setWebhook({ deleted_at: null })
    const closed = await insertOne({ status: 'failed' })
    expect(await parkDelivery(db(), closed, webhookId())).to.equal(false)
    expect(await parkDelivery(db(), newId('delivery'), webhookId())).to.equal(false)
    expect(await rowOf(id)).to.deep.equal(before)
    expect(await queued()).to.deep.equal(['start'])
  })

  it('leave the park as the rule says, each with a command that wakes it', async () => {
    const [pending, retrying] = [
      await insertOne({ ...PARKED, status: 'pending', next_retry_at: null }),
      await insertOne(PARKED),
    ]
    const before = [await read(pending), await read(retrying)]
    expect(await unpark()).to.deep.equal({ unparked: 2, held: 0, next: undefined })
    const { next_retry_at: now, wake_at: wakesAt } = (await rowOf(retrying))!
    expect([await read(pending), await read(retrying)]).to.deep.equal(
      before.map((delivery) => resume(delivery, now!)),
    )
    expect(Date.now() - now!.getTime()).to.be.within(-5_000, 60_000)
    expect([wakesAt, (await rowOf(pending))?.wake_at]).to.deep.equal([now, now])
    expect(await queued()).to.deep.equal(['wake', 'wake'])
  })

  it('leave the park page by page, and nothing else does', async () => {
    await insert(3, { ...PARKED, status: 'pending', next_retry_at: null })
    await insert(2, PARKED)
    const others = [await insertOne(), await insertOne({ ...PARKED, status: 'failed' })]
    const before = await Promise.all(others.map(rowOf))
    let from: WalkPosition | undefined
    const unparked: number[] = []
    do {
      const page = await unpark(2, from)
      unparked.push(page.unparked)
      from = page.next
    } while (from)
    // The sixth that a page reads is open and was never parked.
    expect(unparked).to.deep.equal([2, 2, 1, 0])
    expect(await Promise.all(others.map(rowOf))).to.deep.equal(before)
    expect(await queued()).to.have.length(5)
  })

  // decision: Locks
  it('stay in the park for a later page while somebody else holds them', async () => {
    const [held] = await insert(3, PARKED)
    await whileHeld(db(), held!, async () => {
      expect(await unpark()).to.deep.equal({ unparked: 2, held: 1, next: undefined })
      expect(await unpark()).to.deep.equal({ unparked: 0, held: 1, next: undefined })
    })
    expect(await unpark()).to.deep.equal({ unparked: 1, held: 0, next: undefined })
  })

  it('stay in the park while their webhook is inactive or deleted', async () => {
    const id = await insertOne(PARKED)
    const before = await rowOf(id)
    await deactivate()
    expect(await unpark()).to.deep.equal({ unparked: 0, held: 0, next: undefined })
    await setWebhook({ is_active: true, deleted_at: new Date() })
    expect(await unpark()).to.deep.equal({ unparked: 0, held: 0, next: undefined })
    expect(await rowOf(id)).to.deep.equal(before)
    expect(await queued()).to.deep.equal([])
  })

  it('are listed up to the limit, parked ones too, and closed ones not', async () => {
    const open = [await insertOne(), await insertOne({ status: 'pending' }), await insertOne(PARKED)]
    await insert(2, { status: 'success' })
    await insert(2, { status: 'failed' })
    const listed = (id: string, limit: number) => listOpenDeliveries(db(), id, limit)
    expect((await listed(webhookId(), 100)).ids).to.have.members(open)
    expect((await listed(webhookId(), 2)).ids).to.have.length(2)
    expect(await listed(newId('webhook'), 100)).to.deep.equal({ ids: [], isSending: false })
  })
})
