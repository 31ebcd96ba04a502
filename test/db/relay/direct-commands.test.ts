import { expect } from 'chai'
import { databaseNow } from '../../../src/db/clock.ts'
import { parkDelivery } from '../../../src/db/system/parked-deliveries.ts'
import { wakeForgottenDeliveries } from '../../../src/db/system/forgotten-deliveries.ts'
import { commandRows, FAILED_QUEUE, HANDOVER_QUEUE } from '../../../src/db/outbox.ts'
import { run } from '../../../src/db/connection/statements.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { newId } from '../../../src/domain/ids.ts'
import { retryDelivery } from '../../../src/operations/delivery/retry.ts'
import { changeWebhook, deleteWebhook } from '../../../src/operations/webhook/change.ts'
import { useCommands } from '../../support/use-commands.ts'

const ALL = { calls: 10, direct: 10, handovers: 10, pages: 10 }

describe('commands about a delivery whose first attempt a worker makes itself', () => {
  const { its, tenant, create, claim, work, waiting, pauseMs, calls } = useCommands()
  const db = () => its.db

  async function published() {
    const { webhook } = await create()
    await its.publish()
    const [id = ''] = await db()('deliveries').where({ webhook_id: webhook.id }).pluck('id')
    const change = (isActive: boolean) =>
      changeWebhook(its.deps, tenant(), COMMAND_LINE, webhook.id, { isActive })
    return { id, webhookId: webhook.id, change }
  }
  const inTemporal = async (id: string): Promise<number> =>
    (await db()('deliveries').where({ id }).first('in_temporal')).in_temporal
  const statusOf = async (id: string): Promise<string> =>
    (await db()('deliveries').where({ id }).first('status')).status
  const kinds = async () => (await waiting()).map(({ kind }) => kind).sort()

  // decision: One sender
  it('to retry it wait while the attempt is on its way, and note that a workflow will follow', async () => {
    const { id, webhookId } = await published()
    await claim(ALL)
    await retryDelivery(its.deps, tenant(), webhookId, id, new Date())
    expect(await inTemporal(id)).to.equal(1)
    const before = await databaseNow(db())
    expect(await work(ALL)).to.deep.equal(['retry'])
    expect(await pauseMs(before)).to.be.at.least(200)
    expect([await kinds(), calls()]).to.deep.equal([['retry', 'start'], 0])
  })

  it('to close it for a deleted webhook wait for its record, or for the end of its lease', async () => {
    const { id, webhookId } = await published()
    await claim(ALL)
    await deleteWebhook(its.deps, tenant(), COMMAND_LINE, webhookId)
    const before = await databaseNow(db())
    expect(await work(ALL)).to.deep.equal(['cancel-webhook'])
    expect(await statusOf(id)).to.equal('pending')
    expect(await pauseMs(before)).to.be.at.least(200)
    await db()('outbox').update({ available_at: new Date(0) })
    const failure = await work({ ...ALL, direct: 0 }).catch((error: unknown) => String(error))
    expect([failure, calls()]).to.deep.equal(['Error: away', 1])
  })

  it('queue its first attempt again after an activation when no workflow was ever started', async () => {
    const { id, webhookId, change } = await published()
    await change(false)
    expect(await parkDelivery(db(), id, webhookId)).to.equal(true)
    await change(true)
    await work({ ...ALL, direct: 0 })
    expect([await kinds(), await inTemporal(id)]).to.deep.equal([['start'], 0])
  })

  it('queue its first attempt again when nothing would make it', async () => {
    const { id } = await published()
    await db()('outbox').delete()
    await its.set('deliveries', { id }, { wake_at: new Date(0) })
    await wakeForgottenDeliveries(db(), 'overdue', { afterMs: 1_000, from: undefined, limit: 10 })
    expect(await kinds()).to.deep.equal(['start'])
  })

  // decision: Hand-over
  it('leave at most their part of the calls to hand-overs, those that failed for good last', async () => {
    const handovers = (queue: string, count: number) =>
      Array.from({ length: count }, () => ({
        ...{ kind: 'handover' as const, targetId: newId('delivery'), queue },
        companyId: tenant().companyId,
      }))
    await run(db(), commandRows([...handovers(FAILED_QUEUE, 3), ...handovers(HANDOVER_QUEUE, 3)]))
    const queues = async (room: object) => (await claim(room)).map(({ queue }) => queue)
    expect(await queues({ calls: 10, handovers: 0 })).to.deep.equal([])
    expect(await queues({ calls: 10, handovers: 2 })).to.deep.equal([HANDOVER_QUEUE, HANDOVER_QUEUE])
    expect(await queues({ calls: 1, handovers: 2 })).to.deep.equal([HANDOVER_QUEUE])
    expect(await queues({ calls: 10, handovers: 2 })).to.deep.equal([FAILED_QUEUE, FAILED_QUEUE])
  })

  // decision: Direct attempts at once
  it('take no call of Temporal for first attempts that a worker makes itself', async () => {
    await published()
    expect((await claim({ calls: 0, direct: 0 })).length).to.equal(0)
    expect((await claim({ calls: 0, direct: 1 })).length).to.equal(1)
  })
})
