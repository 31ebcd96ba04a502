// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { directRetryQueue } from '../../../src/db/outbox/queues.ts'
import { renewOwnStart } from '../../../src/db/outbox/direct-starts.ts'
import { listOpenDeliveries } from '../../../src/db/delivery/open-deliveries.ts'
import type { Claim } from '../../../src/db/outbox/claims.ts'
import type { MadeAttempt } from '../../../src/domain/delivery/outcome.ts'
import { answered, madeAttempt } from '../../support/made-attempts.ts'
import { useOperations } from '../../support/use-operations.ts'

const DELAY_MS = 5_000
const LATER = new Date('2099-01-01')

// decision: Direct retries
describe('a retry that waits for its direct attempt', () => {
  const its = useOperations()
  let webhookId: string
  beforeEach(async () => {
    await its.empty('outbox')
    webhookId = await its.newWebhook()
  })
  const claimFirst = async (): Promise<Claim> => {
    await its.publish()
    return (await its.claim(webhookId))[0]!
  }
  const claimRetry = async (options = {}): Promise<Claim | undefined> =>
    (await its.claim(directRetryQueue(webhookId), options))[0]
  /** Records a failed attempt for a claim. */
  const fail = ({ row, delivery }: Claim, fields: Partial<MadeAttempt> = {}, owner = 'w1') =>
    recordBatch(its.database.batchDb, [
      madeAttempt(row.targetId, webhookId, answered(500), {
        directLease: { rowId: row.id, version: row.version, owner },
        directUntil: LATER,
        attemptsAtGate: delivery!.delivery.attempts,
        scheduleMs: [DELAY_MS],
        ...fields,
      }),
    ])
  /** A delivery that failed once and waits. */
  async function waiting(): Promise<string> {
    const claim = await claimFirst()
    await fail(claim)
    return claim.row.targetId
  }
  const becomeDue = () =>
    its.set('outbox', { lane: directRetryQueue(webhookId) }, { available_at: new Date(0) })
  const outbox = () => its.own('outbox')

  it('has a row that no worker holds, due at its time, with the end of the time for direct ones', async () => {
    const id = await waiting()
    expect(await listOpenDeliveries(its.db, webhookId, 10)).to.deep.equal({ ids: [id], isSending: false })
    const [row, ...others] = await outbox()
    expect(others).to.deep.equal([])
    const retry = { kind: 'start', lane: directRetryQueue(webhookId), subject_id: id }
    expect(row).to.include({ ...retry, tries: 0, is_direct: 0, lease_owner: null, argument: LATER.getTime() })
    const delivery = await its.rowOf(id)
    expect(row.available_at).to.deep.equal(delivery.next_retry_at)
    expect(delivery).to.include({ status: 'retrying', attempts: 1, in_temporal: 0 })
    expect(await claimRetry()).to.equal(undefined)
  })

  it('is claimed for its direct attempt once it is due, together with the event, and by a workflow at the third claim', async () => {
    await waiting()
    await becomeDue()
    const claim = await claimRetry({ leaseMs: 0 })
    expect(claim).to.include({ isDirect: true })
    expect(claim?.row).to.include({ argument: LATER.getTime() })
    expect(claim?.delivery?.body).to.be.instanceOf(Buffer)
    const later = [await claimRetry({ owner: 'w2', leaseMs: 0 }), await claimRetry({ owner: 'w3' })]
    expect(later.map((one) => one?.isDirect)).to.deep.equal([true, false])
  })

  // decision: Direct retries and former workers
  it('is made by a workflow where the worker that claims it leaves first attempts to them', async () => {
    const id = await waiting()
    await becomeDue()
    expect(await claimRetry({ isDirect: false })).to.include({ isDirect: false })
    expect(await its.rowOf(id)).to.include({ in_temporal: 1 })
    const made = madeAttempt(id, webhookId, answered(500), { attemptsAtGate: 1 })
    await recordBatch(its.database.batchDb, [made])
    expect(await its.rowOf(id)).to.include({ attempts: 2, in_temporal: 1 })
    expect(await outbox()).to.deep.equal([])
  })

  it('counts its attempts like any other, and goes to a workflow after the last one and beyond its time', async () => {
    for (const [max_attempts, directUntil, expected, kind] of [
      [9, LATER, { status: 'retrying', in_temporal: 0 }, 'start'],
      [9, new Date(0), { status: 'retrying', in_temporal: 1 }, 'handover'],
      [2, LATER, { status: 'failed', in_temporal: 1 }, 'handover'],
    ] as const) {
      await its.empty('outbox')
      const id = await waiting()
      await its.set('deliveries', { id }, { max_attempts })
      await becomeDue()
      await fail((await claimRetry())!, { directUntil })
      expect(await its.rowOf(id)).to.include({ attempts: 2, ...expected })
      expect(await its.queued()).to.deep.equal([kind])
      const makers = its.db('attempts').where({ delivery_id: id }).orderBy('number').pluck('made_by')
      expect(await makers).to.deep.equal(['worker', 'worker'])
    }
  })

  it('is not for a worker that stood still with the attempt before, even if it is the one that claims it', async () => {
    const late = await claimFirst()
    await its.set('outbox', { subject_id: late.row.targetId }, { available_at: new Date(0) })
    const [other] = await its.claim(webhookId, { owner: 'w2' })
    await fail(other!, {}, 'w2')
    await becomeDue()
    await claimRetry()
    const lease = { rowId: late.row.id, version: late.row.version, owner: 'w1' }
    expect(await renewOwnStart(its.db, lease, 60_000)).to.equal(false)
    const { decisions } = await fail(late)
    expect(decisions.get(late.row.targetId)).to.deep.equal({ kind: 'stale' })
    expect(await its.rowOf(late.row.targetId)).to.include({ attempts: 1 })
    expect(await outbox().pluck('lease_owner')).to.deep.equal(['w1'])
  })
})
