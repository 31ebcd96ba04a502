// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { enqueueCommands, type NewCommand } from '../../../../src/db/outbox/outbox.ts'
import { COMMAND_QUEUE, dueQueue } from '../../../../src/db/outbox/queue-names.ts'
import { useDatabase } from '../../../support/database.ts'
import type { DeliveryRow } from '../../../../src/db/delivery/rows.ts'
import { isWaitingForSlot, queueDue } from '../../../../src/db/outbox/due-queue.ts'
import { releaseRow } from '../../../../src/db/outbox/rows.ts'
import { closeDeliveries } from '../../../../src/db/delivery/open-deliveries.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { whileHeld } from '../../../support/lock-waits.ts'

describe('queueing commands', () => {
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  const command = (fields: Partial<NewCommand> = {}): NewCommand => ({
    kind: 'retry',
    targetId: 'del_1',
    queue: COMMAND_QUEUE,
    ...fields,
  })
  const enqueue = (...commands: NewCommand[]) =>
    enqueueCommands(database.db, { companyId: 'com_1' }, commands)
  const rows = () =>
    database
      .db('outbox')
      .orderBy('id')
      .select('kind', 'company_id', 'version', 'argument', 'tries', 'lease_owner')
      .select(database.db.raw('available_at <= NOW(3) AS is_due'))
  const FRESH = { company_id: 'com_1', version: 1, argument: null, tries: 0, lease_owner: null, is_due: 1 }

  it('makes each of them a row that may be claimed at once; one that is being carried out is due again, as a newer version without a lease', async () => {
    await enqueue(command(), command({ kind: 'wake' }), command({ targetId: 'del_2', argument: 7 }))
    expect(await rows()).to.deep.equal([
      { ...FRESH, kind: 'retry' },
      { ...FRESH, kind: 'wake' },
      { ...FRESH, kind: 'retry', argument: 7 },
    ])
    await database.db('outbox').delete()
    await enqueue(command())
    const inAnHour = database.db.raw('NOW(3) + INTERVAL 1 HOUR')
    await database.db('outbox').update({ lease_owner: 'w1', tries: 5, available_at: inAnHour })
    await enqueue(command())
    expect(await rows()).to.deep.equal([{ ...FRESH, kind: 'retry', version: 2 }])
  })

  it('keeps the highest number of repeated commands, in whatever order they came', async () => {
    for (const [asked, kept] of [
      [undefined, null],
      [2, 2],
      [undefined, 2],
      [5, 5],
      [3, 5],
    ] as const) {
      await enqueue(command(asked === undefined ? {} : { argument: asked }))
      expect((await rows())[0]).to.include({ argument: kept })
    }
  })
})

describe('the queue of deliveries that wait for a free slot', () => {
  const its = useOperations()
  const { tenant } = its
  let webhookId: string
  beforeEach(async () => {
    await its.empty('outbox', 'deliveries')
    webhookId = await its.newWebhook()
  })

  const insert = async (dueAt = new Date()) =>
    (await its.insertOpen(webhookId, { next_retry_at: dueAt, wake_at: dueAt }))[0]!
  const rows = () => its.db('outbox').orderBy('available_at').select('kind', 'subject_id', 'lane')
  const claim = async (rows: number) =>
    (await its.claim(dueQueue(webhookId), { owner: 'worker', rows })).map(({ row }) => row)

  it('holds one row of a delivery, in place of its start row, and lets it wait only until that is claimed, so that no wake-up is lost', async () => {
    const id = await insert()
    await enqueueCommands(its.db, tenant(), [{ kind: 'start', targetId: id, queue: webhookId }])
    expect(await isWaitingForSlot(its.db, id)).to.equal(false)
    for (let time = 0; time < 3; time++) expect(await queueDue(its.db, id)).to.equal(true)
    expect(await rows()).to.deep.equal([{ kind: 'due', subject_id: id, lane: dueQueue(webhookId) }])
    expect(await isWaitingForSlot(its.db, id)).to.equal(true)
    const [row] = await claim(1)
    expect(await isWaitingForSlot(its.db, id)).to.equal(false)
    await releaseRow(its.db, row!, 'worker', 0)
    expect(await isWaitingForSlot(its.db, id)).to.equal(true)
  })

  it('is in the order in which deliveries became due, whenever they were queued', async () => {
    const [late, early] = [await insert(), await insert(new Date(Date.now() - 60_000))]
    await queueDue(its.db, late)
    await queueDue(its.db, early)
    expect((await claim(1)).map(({ targetId }) => targetId)).to.deep.equal([early])
    await queueDue(its.db, early)
    expect((await claim(1)).map(({ targetId }) => targetId)).to.deep.equal([early])
  })

  it('takes no delivery that was closed, and a closed one leaves it', async () => {
    const [queued, closed] = [await insert(), await insert()]
    await queueDue(its.db, queued)
    await closeDeliveries(its.db, [queued, closed], 'webhook_deleted')
    expect(await queueDue(its.db, closed)).to.equal(false)
    expect(await rows()).to.deep.equal([])
  })

  // decision: Locks
  it('skips a delivery whose row another transaction locks, and so does the end of a webhook', async () => {
    const [held, other] = [await insert(), await insert()]
    const closing = await whileHeld(its.db, held, () =>
      closeDeliveries(its.db, [held, other], 'webhook_deleted'),
    )
    expect(closing).to.deep.equal({ closed: 1, lockedElsewhere: 1 })
    const open = await its.db<DeliveryRow>('deliveries').where({ status: 'retrying' }).select('id')
    expect(open).to.deep.equal([{ id: held }])
  })
})
