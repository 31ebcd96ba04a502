// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { DELIVERY_KINDS, enqueueCommands } from '../../../../src/db/outbox/outbox.ts'
import { dueQueue } from '../../../../src/db/outbox/queues.ts'
import * as forgotten from '../../../../src/db/delivery/forgotten-deliveries.ts'
import { whileHeld } from '../../../support/lock-waits.ts'
import { enqueueMany } from '../../../support/many-rows.ts'
import { countRowsRead } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

const AFTER_MS = 60_000

// decision: What the reconciler reads
describe('deliveries that nothing would wake', function () {
  this.timeout(60_000)
  const its = useOperations()
  const { tenant, newWebhook } = its
  const longAgo = new Date(Date.now() - 600_000)
  beforeEach(() => its.empty('outbox', 'deliveries', 'webhooks'))

  /** Retries that waited for direct attempts, so they have no workflow. */
  const overdue = (count: number, webhookId: string) => {
    const due = { next_retry_at: longAgo, wake_at: longAgo }
    return its.insertOpen(webhookId, { ...due, attempts: 1, in_temporal: 0 }, count)
  }
  const parked = (count: number, webhookId: string) =>
    its.insertOpen(webhookId, { wake_at: null, parked_at: longAgo }, count)
  const queueDue = (ids: readonly string[], webhookId: string) =>
    enqueueMany(its.db, tenant().companyId, ids.length, (index) => ({
      kind: 'due',
      targetId: ids[index]!,
      queue: dueQueue(webhookId),
    }))
  type Place = Awaited<ReturnType<typeof forgotten.wakeForgottenDeliveries>>['next']
  const page = (part: forgotten.ForgottenPart, limit = 1_000, db = its.db, from?: Place) =>
    forgotten.wakeForgottenDeliveries(db, part, { afterMs: AFTER_MS, from, limit })
  const woken = () => its.db('outbox').where({ kind: 'wake' }).pluck<string[]>('subject_id')

  it('are woken page by page, each once and by a workflow, though many are due at the same time', async () => {
    const webhookId = await newWebhook()
    const ids = await overdue(250, webhookId)
    let from: Place
    const queued: number[] = []
    do {
      const { queued: count, next } = await page('overdue', 100, its.db, from)
      queued.push(count)
      from = next
    } while (from)
    expect(queued).to.deep.equal([100, 100, 50])
    expect(await woken()).to.have.members(ids)
    expect(await its.db('deliveries').where({ in_temporal: 0 })).to.deep.equal([])
    expect(await page('overdue')).to.deep.equal({ queued: 0, next: undefined })
  })

  // decision: Locks
  it('are left to a later round while another transaction locks them', async () => {
    const [locked, free] = await overdue(2, await newWebhook())
    expect((await whileHeld(its.db, locked!, () => page('overdue'))).queued).to.equal(1)
    expect(await woken()).to.deep.equal([free])
    expect((await page('overdue')).queued).to.equal(1)
  })

  it('are only those without a row in the outbox', async () => {
    const webhookId = await newWebhook()
    const [lost, ...known] = await overdue(1 + DELIVERY_KINDS.length, webhookId)
    for (const [index, kind] of DELIVERY_KINDS.entries())
      await enqueueCommands(its.db, tenant(), [{ kind, targetId: known[index]!, queue: webhookId }])
    expect((await page('overdue')).queued).to.equal(1)
    expect(await woken()).to.include(lost)
  })

  // decision: Suspended companies
  it('are parked ones only while their webhook is active and their company is not suspended', async () => {
    await parked(3, await newWebhook({ isActive: false }))
    const ids = await parked(2, await newWebhook())
    await its.suspend()
    expect((await page('parked')).queued).to.equal(0)
    await its.resume()
    expect((await page('parked')).queued).to.equal(2)
    expect(await woken()).to.have.members(ids)
  })

  it('are found along an index, by reading no more rows beside 2,000 waiting ones than beside 500', async () => {
    const webhookId = await newWebhook({ isActive: false })
    const reads: Record<forgotten.ForgottenPart, number[]> = { overdue: [], parked: [] }
    for (const count of [500, 1_500]) {
      await queueDue(await overdue(count, webhookId), webhookId)
      await parked(count, webhookId)
      await its.db.raw('ANALYZE TABLE outbox, deliveries')
      for (const part of ['overdue', 'parked'] as const)
        reads[part].push(await countRowsRead(its.db, (trx) => page(part, 200, trx)))
    }
    for (const [few, many] of [reads.overdue, reads.parked]) {
      expect(many).to.be.at.most(few! * 1.1)
      expect(many).to.be.at.most(5_000)
    }
  })
})
