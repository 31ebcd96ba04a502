// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { recordBatch } from '../../../../src/attempts/record-batch.ts'
import type { DeliveryRow } from '../../../../src/db/delivery/rows.ts'
import { closeDeliveries } from '../../../../src/db/delivery/open-deliveries.ts'
import * as parking from '../../../../src/db/delivery/parked-deliveries.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { close, park, resume } from '../../../../src/domain/delivery/transitions.ts'
import { readDelivery } from '../../../support/deliveries.ts'
import { addToCounters, readCounters } from '../../../../src/db/webhook/counters.ts'
import { enqueueCommands, type OutboxKind } from '../../../../src/db/outbox/outbox.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { listAttempts } from '../../../../src/db/delivery/attempts.ts'
import { findWebhook } from '../../../../src/db/webhook/webhooks.ts'
import { storedHeaders } from '../../../../src/domain/delivery/kept-response.ts'
import { answered, madeAttempt } from '../../../support/made-attempts.ts'

const PARKED = { wake_at: null, parked_at: new Date('2026-01-01T00:00:00.000Z') }
/** The columns of a delivery after two failures, with an unserved retry request. */
const USED: Partial<DeliveryRow> = {
  attempts: 2,
  attempts_base: 1,
  retry_seq: 3,
  retry_served: 1,
  retry_requested_at: new Date(0),
  response_code: 500,
  response_body: 'a body',
  request_duration_ms: 5,
}

/** A company with one active webhook for each test. */
function useDeliveries() {
  const its = useOperations()
  const { tenant, queued } = its
  let webhookId: string
  beforeEach(async () => void ([webhookId = ''] = await its.insertWebhooks(1)))
  const setWebhook = (columns: object) => its.set('webhooks', { id: webhookId }, columns)
  return {
    db: () => its.db,
    batchDb: () => its.database.batchDb,
    tenant,
    webhookId: () => webhookId,
    setWebhook,
    deactivate: () => setWebhook({ is_active: false }),
    /** Open deliveries of the webhook with two attempts, which its counters include. */
    insert: async (count: number, columns: Partial<DeliveryRow> = {}): Promise<string[]> => {
      await addToCounters(its.db, [{ webhookId, changes: { [columns.status ?? 'retrying']: count } }])
      return its.insertOpen(webhookId, { ...USED, ...columns }, count)
    },
    /** Queues commands about a delivery. */
    enqueue: (targetId: string, ...kinds: OutboxKind[]) =>
      enqueueCommands(
        its.db,
        tenant(),
        kinds.map((kind) => ({ kind, targetId, queue: webhookId })),
      ),
    queued,
    counters: async () => (await readCounters(its.db, tenant(), [webhookId])).get(webhookId),
  }
}

describe('open deliveries', () => {
  const { db, tenant, webhookId, setWebhook, deactivate, insert, enqueue, queued, counters } = useDeliveries()
  const insertOne = async (columns: Partial<DeliveryRow> = {}) => (await insert(1, columns))[0]!
  const rowOf = (id: string) => db()<DeliveryRow>('deliveries').where({ id }).first()
  const read = (id: string) => readDelivery(db(), id)
  const unpark = (limit = 100, from?: parking.WalkPosition) =>
    parking.unparkDeliveries(db(), { webhookId: webhookId(), companyId: tenant().companyId }, { from, limit })

  for (const status of ['pending', 'retrying'] as const) {
    it(`are closed as the rule of a ${status} one says, without what they waited for`, async () => {
      const id = await insertOne({ status })
      await enqueue(id, 'start', 'due', 'retry')
      const before = await read(id)
      const closing = { closed: 1, lockedElsewhere: 0 }
      expect(await closeDeliveries(db(), [id], 'webhook_deleted')).to.deep.equal(closing)
      expect(await read(id)).to.deep.equal(close(before, 'webhook_deleted'))
      const row = await rowOf(id)
      expect([row?.wake_at, row?.closed_at]).to.deep.equal([null, row?.closed_at ?? 'a time'])
      expect(await queued()).to.deep.equal(['retry'])
      expect(await counters()).to.include({ [status]: 0, failed: 1 })
    })

    it(`are parked as the rule of a ${status} one says, while their webhook is inactive`, async () => {
      await deactivate()
      const id = await insertOne({ status })
      await enqueue(id, 'start', 'due', 'retry')
      const before = await read(id)
      expect(await parking.parkDelivery(db(), id, webhookId())).to.equal(true)
      const after = await read(id)
      expect(after.parkedAt).to.be.an.instanceOf(Date)
      expect(after).to.deep.equal(park(before, after.parkedAt!))
      expect(await rowOf(id)).to.include({ wake_at: null, closed_at: null })
      expect(await queued()).to.deep.equal(['retry'])
    })
  }

  it('are closed alone: what is closed or gone stays as it is', async () => {
    const id = await insertOne({ status: 'success' })
    const before = await rowOf(id)
    const closing = await closeDeliveries(db(), [id, newId('delivery')], 'webhook_deleted')
    expect(closing).to.deep.equal({ closed: 0, lockedElsewhere: 0 })
    expect(await rowOf(id)).to.deep.equal(before)
    expect(await counters()).to.include({ success: 1, failed: 0 })
  })

  it('are not parked when their webhook is active or deleted, or they are closed', async () => {
    const id = await insertOne()
    await enqueue(id, 'start')
    const before = await rowOf(id)
    const park = (wanted = id) => parking.parkDelivery(db(), wanted, webhookId())
    expect(await park()).to.equal(false)
    await setWebhook({ is_active: false, deleted_at: new Date() })
    expect(await park()).to.equal(false)
    await setWebhook({ deleted_at: null })
    for (const wrong of [await insertOne({ status: 'failed' }), newId('delivery')])
      expect(await park(wrong)).to.equal(false)
    expect(await rowOf(id)).to.deep.equal(before)
    expect(await queued()).to.deep.equal(['start'])
  })

  it('leave the park as the rule says, each with a command that wakes it', async () => {
    const pending = await insertOne({ ...PARKED, status: 'pending', next_retry_at: null })
    const retrying = await insertOne(PARKED)
    const before = [await read(pending), await read(retrying)]
    expect(await unpark()).to.deep.equal({ unparked: 2, lockedElsewhere: 0, next: undefined })
    const { next_retry_at: now, wake_at: wakesAt } = (await rowOf(retrying))!
    const resumed = before.map((delivery) => resume(delivery, now!))
    expect([await read(pending), await read(retrying)]).to.deep.equal(resumed)
    expect(Date.now() - now!.getTime()).to.be.within(-5_000, 60_000)
    expect([wakesAt, (await rowOf(pending))?.wake_at]).to.deep.equal([now, now])
    expect(await queued()).to.deep.equal(['wake', 'wake'])
  })

  it('stay in the park while their webhook is inactive or deleted', async () => {
    const id = await insertOne(PARKED)
    const before = await rowOf(id)
    for (const columns of [{ is_active: false }, { is_active: true, deleted_at: new Date() }]) {
      await setWebhook(columns)
      expect(await unpark()).to.deep.equal({ unparked: 0, lockedElsewhere: 0, next: undefined })
    }
    expect(await rowOf(id)).to.deep.equal(before)
    expect(await queued()).to.deep.equal([])
  })
})

const STARTED_AT = new Date('2026-03-01T00:00:00.000Z')

describe('writing what came of attempts', () => {
  const { db, batchDb, tenant, webhookId, setWebhook, deactivate, insert, enqueue, queued, counters } =
    useDeliveries()
  const webhook = () => findWebhook(db(), tenant(), webhookId())

  /** Records the answer of the endpoint to the next attempt of each delivery. */
  function answer(ids: readonly string[], status: number, webhookVersionAtGate = 1) {
    const outcome = answered(status, {
      body: 'a body',
      location: 'https://example.com/',
      headers: storedHeaders({ via: 'é😀"\\' }),
      steps: { dnsMs: 0, connectMs: 2, tlsMs: null, firstByteMs: 600_000 },
    })
    const gate = { attemptsAtGate: 2, retrySeqAtGate: 3, webhookVersionAtGate }
    const fields = { ...gate, trigger: 'manual', startedAt: STARTED_AT } as const
    const made = ids.map((id) => madeAttempt(id, webhookId(), outcome, fields))
    return recordBatch(batchDb(), made)
  }
  /** The deliveries with an answer that deactivated the webhook. */
  const deactivating = async (...given: Parameters<typeof answer>) =>
    (await answer(...given)).attempts.flatMap(({ hasDeactivated, made }) =>
      hasDeactivated ? made.deliveryId : [],
    )

  for (const [status, end] of [
    [200, 'success'],
    [500, 'retrying'],
  ] as const)
    it(`makes the row what the rule of an answer ${status} says, with its attempt and its counters`, async () => {
      const [id = ''] = await insert(1)
      await enqueue(id, 'start', 'retry')
      const { attempts, now } = await answer([id], status)
      const { delivery: after, attempt } = attempts[0]!.decision
      expect(after.status).to.equal(end)
      expect(await readDelivery(db(), id)).to.deep.equal(after)
      const row = await db()<DeliveryRow>('deliveries').where({ id }).first()
      const isOpen = end === 'retrying'
      expect([row?.wake_at, row?.closed_at]).to.deep.equal(isOpen ? [after.nextRetryAt, null] : [null, now])
      const { items } = await listAttempts(db(), tenant(), id, { latest: 3, limit: 9 })
      expect(items).to.deep.equal([attempt])
      expect(await queued()).to.deep.equal(['retry'])
      const counted = isOpen ? { retrying: 1 } : { retrying: 0, success: 1 }
      expect(await counters()).to.deep.include({ ...counted, lastTriggeredAt: STARTED_AT })
    })

  // decision: Notices in the transaction of their cause
  it('deactivates a webhook that is gone once, and tells it in the audit and in one notice', async () => {
    const [late, ...ids] = await insert(4)
    const [delivery_id, ...more] = await deactivating(ids, 410)
    expect(more).to.deep.equal([])
    expect(await webhook()).to.include({ isActive: false, deactivatedReason: 'gone', version: 2 })
    const audited = await db()('audit').where({ subject_id: webhookId() })
    expect(audited).to.have.length(1)
    expect(audited[0]).to.include({ action: 'webhook.deactivate', actor: 'system', subject_id: webhookId() })
    expect(JSON.parse(audited[0].details)).to.deep.equal({ reason: 'gone', delivery_id })
    await answer([late!], 410)
    const { companyId, environment } = tenant()
    const notices = await db()('notices').where({ company_id: companyId })
    expect(notices).to.have.length(1)
    expect(notices[0]).to.include({ kind: 'webhook_gone', target_id: webhookId(), environment, total: null })
  })

  // decision: A slow 410
  it('leaves a webhook alone that was changed, deactivated or deleted since the request was made', async () => {
    const [changed, inactive, deleted] = await insert(3)
    await setWebhook({ version: 2 })
    expect(await deactivating([changed!], 410)).to.deep.equal([])
    expect(await webhook()).to.include({ isActive: true, deactivatedReason: null, version: 2 })
    await deactivate()
    expect(await deactivating([inactive!], 410, 2)).to.deep.equal([])
    expect(await webhook()).to.include({ deactivatedReason: null, version: 2 })
    await setWebhook({ is_active: true, deleted_at: new Date() })
    expect(await deactivating([deleted!], 410, 2)).to.deep.equal([])
    expect(await db()('audit').where({ subject_id: webhookId() })).to.deep.equal([])
  })
})
