import { expect } from 'chai'
import { enqueueCommands } from '../../../../src/db/outbox.ts'
import { claimShares } from '../../../../src/db/system/claims.ts'
import { putBackRow, releaseRow, renewOwnStart } from '../../../../src/db/system/outbox-rows.ts'
import { publishEvents } from '../../../../src/operations/event/publish.ts'
import { useOperations } from '../../../support/use-operations.ts'

const LEASE_MS = 30_000

describe('claiming first attempts', () => {
  const its = useOperations()
  const { tenant, create } = its
  let webhookId: string
  beforeEach(async () => {
    await its.db('outbox').delete()
    webhookId = (await create()).webhook.id
  })

  const publish = (count = 1) =>
    publishEvents(
      its.deps,
      tenant(),
      Array.from({ length: count }, () => ({ type: 'contact.created' as const, data: { name: 'Ada' } })),
    )
  const claim = (isDirect: boolean, { owner = 'w1', leaseMs = LEASE_MS } = {}) =>
    claimShares(its.deps.batchDb, [{ queue: webhookId, companyId: tenant().companyId, rows: 10 }], {
      owner,
      leaseMs,
      takesDirectly: () => isDirect,
    })
  const inTemporal = async (): Promise<number[]> =>
    its.db('deliveries').where({ webhook_id: webhookId }).pluck('in_temporal')
  const outbox = () => its.db('outbox').first('version', 'tries', 'is_direct', 'lease_owner')

  it('leaves the delivery out of Temporal when a worker makes the attempt, and gives it the event', async () => {
    await publish(2)
    const claims = await claim(true)
    expect(claims.map(({ isDirect }) => isDirect)).to.deep.equal([true, true])
    for (const { delivery } of claims) expect(delivery?.body?.toString()).to.include('"name":"Ada"')
    expect(await inTemporal()).to.deep.equal([0, 0])
    expect(await outbox()).to.include({ is_direct: 1, lease_owner: 'w1', tries: 1 })
  })

  // decision: One sender
  it('notes in the claim that a workflow may exist, and then no worker makes the attempt itself', async () => {
    await publish()
    await claim(false, { leaseMs: 0 })
    expect(await inTemporal()).to.deep.equal([1])
    const [again] = await claim(true, { owner: 'w2' })
    expect(again).to.include({ isDirect: false })
    expect(await outbox()).to.include({ is_direct: 0, lease_owner: 'w2' })
  })

  // decision: Third claim
  it('gives an attempt to a workflow at its third claim without a record', async () => {
    await publish()
    const claims = []
    for (const owner of ['w1', 'w2', 'w3']) claims.push(...(await claim(true, { owner, leaseMs: 0 })))
    expect(claims.map(({ isDirect }) => isDirect)).to.deep.equal([true, true, false])
    expect(await inTemporal()).to.deep.equal([1])
  })

  it('does not count a claim after which nothing was sent, and counts one that failed by our own fault', async () => {
    await publish()
    for (let n = 0; n < 3; n++) {
      const [deferred] = await claim(true)
      await putBackRow(its.deps.db, deferred!.row, 'w1')
    }
    expect(await outbox()).to.include({ tries: 0, lease_owner: null })
    const [failed] = await claim(true)
    await releaseRow(its.deps.db, failed!.row, 'w1', 0)
    expect(await outbox()).to.include({ tries: 1 })
  })

  it('leaves an attempt for a moment whose delivery another transaction locks', async () => {
    await publish(2)
    const [locked] = await its.db('deliveries').where({ webhook_id: webhookId }).pluck('id')
    const holder = await its.db.transaction()
    try {
      await holder('deliveries').where({ id: locked }).forUpdate()
      const claims = await claim(true)
      expect(claims).to.have.length(1)
      expect(claims[0]?.row.targetId).not.to.equal(locked)
    } finally {
      await holder.rollback()
    }
    const [row] = await its.db('outbox').where({ subject_id: locked })
    expect(row).to.include({ lease_owner: null, tries: 0 })
  })

  it('keeps its row as it is when somebody queues the delivery again meanwhile', async () => {
    await publish()
    const [{ row } = { row: undefined }] = await claim(true)
    const again = { kind: 'start', targetId: row!.targetId, queue: webhookId } as const
    await enqueueCommands(its.deps.db, tenant(), [again])
    expect(await outbox()).to.include({ version: row!.version, lease_owner: 'w1', tries: 1 })
    expect(await claim(true, { owner: 'w2' })).to.deep.equal([])
    await its.db('outbox').update({ available_at: new Date(0) })
    await enqueueCommands(its.deps.db, tenant(), [again])
    expect(await outbox()).to.include({ version: row!.version + 1, lease_owner: null, tries: 0 })
  })

  it('renews a lease for its own claim only', async () => {
    await publish()
    const [{ row } = { row: undefined }] = await claim(true, { leaseMs: 0 })
    const lease = { rowId: row!.id, version: row!.version, owner: 'w1' }
    expect(await renewOwnStart(its.deps.db, lease, 0)).to.equal(true)
    await claim(true, { owner: 'w2' })
    expect(await renewOwnStart(its.deps.db, lease, LEASE_MS)).to.equal(false)
    expect(await outbox()).to.include({ lease_owner: 'w2' })
  })
})
