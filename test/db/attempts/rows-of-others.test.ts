// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { closeDeliveries } from '../../../src/db/delivery/open-deliveries.ts'
import { inTransaction, type Db } from '../../../src/db/connection/connection.ts'
import type { RecoveryRow } from '../../../src/db/recovery/rows.ts'
import { takeMissed } from '../../../src/db/recovery/taking-missed.ts'
import { insertStarts } from '../../../src/db/outbox/outbox.ts'
import { purgeDeliveries } from '../../../src/db/purge/history.ts'
import { whileOpen } from '../../support/lock-waits.ts'
import { answered, madeAttempt } from '../../support/made-attempts.ts'
import { failedStatements } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'

type Waiting = { readonly id: string; readonly webhookId: string }

/** Waiting deliveries, and how many of them the work concerns. A server may scan whole tables of this size. */
const SIZES = { 3: 1, 30: 10, 100: 50, 300: 200 }

describe('rows that another transaction locks', () => {
  const its = useOperations()

  /** Makes `count` deliveries, each of its own failing endpoint. Each had an attempt and waits for the next one. */
  async function insertWaiting(count: number): Promise<Waiting[]> {
    const webhookIds = await its.insertWebhooks(count)
    const ids = await its.insertOpen('', { attempts: 1 }, count)
    const waiting = ids.map((id, index) => ({ id, webhookId: webhookIds[index]! }))
    for (const { id, webhookId } of waiting)
      await its.db('deliveries').where({ id }).update({ webhook_id: webhookId })
    const attempt = { number: 1, started_at: new Date(), duration_ms: 5, trigger: 'scheduled' }
    await its.db('attempts').insert(ids.map((delivery_id) => ({ delivery_id, ...attempt })))
    await insertStarts(its.db, its.tenant(), waiting)
    const failing = { changed_at: its.db.fn.now(3), consecutive_failures: 3 }
    await its.db('webhook_health').insert(webhookIds.map((webhook_id) => ({ webhook_id, ...failing })))
    return waiting
  }

  /** Writes all rows of a delivery in another transaction. */
  const write =
    ({ id, webhookId }: Waiting) =>
    async (writer: Db) => {
      await writer('deliveries').where({ id }).update({ response_code: 500 })
      await writer('attempts').where({ delivery_id: id, number: 1 }).update({ response_code: 500 })
      await writer('outbox').where({ kind: 'start', subject_id: id }).update({ tries: 1 })
      await writer('webhook_health').where({ webhook_id: webhookId }).update({ consecutive_failures: 4 })
    }

  afterEach(() => its.empty('deliveries', 'attempts', 'outbox', 'webhook_health'))

  it('do not delay a recovery that makes deliveries of events beside a publish', async () => {
    const webhookId = await its.newWebhook()
    const ids = (await its.publish(30)).map(({ id }) => id)
    await its.db('deliveries').delete()
    const events = ids.slice(0, 10).map((id) => ({ id, type: 'contact.created', createdAt: new Date() }))
    const take = takeMissed({ events, next: { at: new Date(), id: '' }, isLast: true })
    const { companyId, environment } = its.tenant()
    const row = { id: 'rcv_1', webhook_id: webhookId, company_id: companyId, environment } as RecoveryRow
    const room = { room: 10, maxRetries: 3, now: new Date() }
    const [last = ''] = ids.slice(-1)
    const writeLast = (writer: Db) => writer('events').where({ id: last }).update({ remaining: 2 })
    const taking = () => inTransaction(its.db, (trx) => take(trx, row, room))
    expect(await whileOpen(its.db, writeLast, taking)).to.deep.equal({ isWhole: true, queued: 10 })
  })

  // decision: Locks
  it('do not delay the others of a batch when a 410 is about to deactivate their webhook', async () => {
    const [gone, other] = (await insertWaiting(2)) as [Waiting, Waiting]
    const made = [gone, other].map(({ id, webhookId }, index) =>
      madeAttempt(id, webhookId, answered(index === 0 ? 410 : 200), { attemptsAtGate: 1 }),
    )
    const lock = (trx: Db) => trx('webhooks').where({ id: gone.webhookId }).forUpdate()
    const record = () => recordBatch(its.database.batchDb, made)
    const { decisions, lockedElsewhere } = await whileOpen(its.db, lock, record)
    expect([[...decisions.keys()], [...lockedElsewhere]]).to.deep.equal([[other.id], [gone.id]])
    await record()
    expect(await its.stateOf(gone.webhookId)).to.include({ isActive: false })
  })

  for (const [waiting, wanted] of Object.entries(SIZES)) {
    it(`do not delay the records of ${wanted} others of ${waiting} deliveries, nor their end, nor their purge`, async () => {
      const all = await insertWaiting(Number(waiting))
      const some = all.slice(0, wanted)
      const rows: { id: number; subject_id: string }[] = await its.db('outbox').select('id', 'subject_id')
      const rowIds = new Map(rows.map(({ id, subject_id }) => [subject_id, id]))
      const made = some.map(({ id, webhookId }, index) =>
        madeAttempt(id, webhookId, answered(index % 2 === 0 ? 500 : 200), {
          attemptsAtGate: 1,
          ...(index % 4 === 0 && { directLease: { rowId: rowIds.get(id)!, version: 1, owner: 'wrk_1' } }),
        }),
      )
      const work = async () => {
        const { decisions } = await recordBatch(its.database.batchDb, made)
        expect(decisions.size).to.equal(wanted)
        const ids = some.map(({ id }) => id)
        const closing = { closed: Math.ceil(wanted / 2), lockedElsewhere: 0 }
        expect(await closeDeliveries(its.db, ids, 'attempts_used')).to.deep.equal(closing)
        expect(await purgeDeliveries(its.db, new Date(Date.now() + 3_600_000), 500)).to.equal(wanted)
      }
      const waits = await failedStatements(its.db, () => whileOpen(its.db, write(all.at(-1)!), work))
      expect(waits).to.deep.equal([])
      const left = all.slice(wanted).map(({ id }) => id)
      const queued = its.db('outbox').where({ kind: 'start' }).orderBy('id').pluck('subject_id')
      expect(await queued).to.deep.equal(left)
    })
  }
})
