import { expect } from 'chai'
import { recordBatch } from '../../../src/attempts/record-batch.ts'
import { FAILED_QUEUE, HANDOVER_QUEUE } from '../../../src/db/outbox.ts'
import { claimShares } from '../../../src/db/system/claims.ts'
import type { MadeAttempt } from '../../../src/domain/delivery/outcome.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('recording a first attempt that a worker made itself', () => {
  const its = useOperations()
  const { tenant, create } = its
  beforeEach(() => its.db('outbox').delete())

  /** A delivery that worker w1 has claimed, with what came of its attempt. */
  async function attempted(status: number, maxRetries = 3) {
    const { webhook } = await create({ maxRetries })
    await publishEvents(its.deps, tenant(), [{ type: 'contact.created', data: {} }])
    const [{ row } = { row: undefined }] = await claim(webhook.id, 'w1')
    const made: MadeAttempt = {
      ...{
        deliveryId: row!.targetId,
        webhookId: webhook.id,
        attemptsAtGate: 0,
        retrySeqAtGate: 0,
        webhookVersionAtGate: 1,
      },
      ...{ trigger: 'scheduled', startedAt: new Date(), scheduleMs: [60_000] },
      directLease: { rowId: row!.id, version: row!.version, owner: 'w1' },
      outcome: { kind: 'answered', status, body: 'x', retryAfter: undefined, durationMs: 5 },
    }
    const record = async () => (await recordBatch(its.deps.batchDb, [made])).decisions.get(made.deliveryId)
    return { id: made.deliveryId, webhookId: webhook.id, record }
  }
  const claim = (queue: string, owner: string) =>
    claimShares(its.deps.batchDb, [{ queue, companyId: tenant().companyId, rows: 1 }], {
      owner,
      leaseMs: 0,
      takesDirectly: () => true,
    })
  const rowOf = (id: string) => its.db('deliveries').where({ id }).first('status', 'attempts', 'in_temporal')
  const outbox = () => its.db('outbox').select('kind', 'subject_id', 'lane')
  const makers = (id: string): Promise<string[]> =>
    its.db('attempts').where({ delivery_id: id }).pluck('made_by')

  // decision: Direct first attempts
  it('ends a success without Temporal', async () => {
    const { id, record } = await attempted(200)
    expect(await record()).to.have.property('kind', 'recorded')
    expect(await rowOf(id)).to.deep.equal({ status: 'success', attempts: 1, in_temporal: 0 })
    expect(await makers(id)).to.deep.equal(['worker'])
    expect(await outbox()).to.deep.equal([])
  })

  for (const [maxRetries, status, lane] of [
    [3, 'retrying', HANDOVER_QUEUE],
    [0, 'failed', FAILED_QUEUE],
  ] as const) {
    it(`hands a delivery over that is ${status}, in the transaction that records the attempt`, async () => {
      const { id, record } = await attempted(500, maxRetries)
      await record()
      expect(await rowOf(id)).to.deep.equal({ status, attempts: 1, in_temporal: 1 })
      expect(await outbox()).to.deep.equal([{ kind: 'handover', subject_id: id, lane }])
    })
  }

  // decision: Leases of direct attempts
  it('drops a failure when another worker has claimed the row, which may be sending', async () => {
    const { id, webhookId, record } = await attempted(500)
    await claim(webhookId, 'w2')
    expect(await record()).to.deep.equal({ kind: 'stale' })
    expect(await rowOf(id)).to.deep.equal({ status: 'pending', attempts: 0, in_temporal: 0 })
    expect(await makers(id)).to.deep.equal([])
    expect(await outbox()).to.deep.equal([{ kind: 'start', subject_id: id, lane: webhookId }])
  })

  it('records a failure after its lease ended while nobody else has claimed the row', async () => {
    const { id, record } = await attempted(500)
    await record()
    expect(await rowOf(id)).to.include({ status: 'retrying' })
  })

  it('records a success also when another worker has claimed the row', async () => {
    const { id, webhookId, record } = await attempted(200)
    await claim(webhookId, 'w2')
    await record()
    expect(await rowOf(id)).to.include({ status: 'success', attempts: 1 })
    expect(await outbox()).to.deep.equal([])
  })
})
