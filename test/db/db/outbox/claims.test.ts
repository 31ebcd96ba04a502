// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { connect } from '../../../../src/db/connection/connection.ts'
import { claimShares } from '../../../../src/db/outbox/claims.ts'
import { BEFORE_WEBHOOKS, searchQueues } from '../../../../src/db/outbox/queues.ts'
import { deleteCommand, putBackRow } from '../../../../src/db/outbox/rows.ts'
import { enqueueCommands, type NewCommand } from '../../../../src/db/outbox/outbox.ts'
import * as queues from '../../../../src/db/outbox/queue-names.ts'
import { useDatabase } from '../../../support/database.ts'
import { whileHeld } from '../../../support/lock-waits.ts'
import { enqueueMany } from '../../../support/many-rows.ts'
import { rowsRead } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'

const LEASE_MS = 30_000

describe('claiming from the outbox', () => {
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  const enqueue = (companyId: string, ...commands: NewCommand[]) =>
    enqueueCommands(database.db, { companyId }, commands)
  const start = (targetId: string, queue: string): NewCommand => ({ kind: 'start', targetId, queue })
  const share = (queue: string, rows: number) => ({ queue, companyId: 'com_1', rows })
  type Shares = Parameters<typeof claimShares>[1]
  const claim = async (owner: string, shares: Shares, leaseMs = LEASE_MS, db = database.batchDb) =>
    (await claimShares(db, shares, { owner, leaseMs, isDirect: false })).map(({ row }) => row)
  const claimCommands = (owner: string) => claim(owner, [share(queues.COMMAND_QUEUE, 10)])
  const { COMMAND_QUEUE, PAGE_QUEUE, HANDOVER_QUEUE, FAILED_QUEUE } = queues
  const afterCompany = { [COMMAND_QUEUE]: '', [PAGE_QUEUE]: '', [HANDOVER_QUEUE]: '', [FAILED_QUEUE]: '' }
  const beginning = { afterCompany, afterQueue: BEFORE_WEBHOOKS, also: [] }
  const dueLanes = async (db = database.db) =>
    (await searchQueues(db, beginning)).webhooks.filter(({ isDue }) => isDue).map(({ queue }) => queue)

  it('gives a row to one claimer only, however many ask at once', async () => {
    await enqueue('com_1', ...Array.from({ length: 50 }, (_, index) => start(`del_${index}`, 'whk_1')))
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, owner) => claim(`w${owner}`, [share('whk_1', 20)])),
    )
    const ids = claims.flat().map(({ targetId }) => targetId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('lists only queues in which something is due, and leaves out a claimed row until its lease ends', async () => {
    await enqueue('com_1', start('del_1', 'whk_1'), start('del_2', 'whk_2'))
    await claim('w1', [share('whk_1', 5)])
    expect(await dueLanes()).to.deep.equal(['whk_2'])
    await claim('w1', [share('whk_2', 5)], 0)
    expect((await claim('w2', [share('whk_2', 5)])).length).to.equal(1)
  })

  it('leaves out a row that another transaction locks, and does not wait for it', async () => {
    await enqueue('com_1', start('del_1', 'whk_1'), start('del_2', 'whk_1'), start('del_3', 'whk_1'))
    await database.db.transaction(async (holder) => {
      await holder('outbox').where({ subject_id: 'del_2' }).forUpdate()
      const claimed = await claim('w1', [share('whk_1', 5)])
      expect(claimed.map(({ targetId }) => targetId)).to.deep.equal(['del_1', 'del_3'])
    })
    expect((await claim('w2', [share('whk_1', 5)])).map(({ targetId }) => targetId)).to.deep.equal(['del_2'])
  })

  it('keeps a command that was asked for again while it was being carried out', async () => {
    const command: NewCommand = { kind: 'retry', targetId: 'del_1', queue: queues.COMMAND_QUEUE, argument: 1 }
    await enqueue('com_1', command)
    const [row] = await claimCommands('w1')
    await enqueue('com_1', { ...command, argument: 2 })
    await deleteCommand(database.db, row!, 'w1')
    await putBackRow(database.db, row!, 'w1', LEASE_MS)
    const [next] = await claimCommands('w2')
    expect(next).to.include({ argument: 2, version: 2 })
  })

  // decision: What a search of the outbox reads
  it('reads as much of the outbox with 4,000 rows behind a hung endpoint, and 4,000 retries that wait, as with ten', async function () {
    this.timeout(60_000)
    await enqueue('com_1', start('del_x', 'whk_neighbour'))
    const retries = queues.directRetryQueue('whk_hung')
    const readsWith = async (rows: number): Promise<number> => {
      await database.db('outbox').whereIn('lane', ['whk_hung', retries]).delete()
      await enqueueMany(database.db, 'com_1', rows, (index) => start(`del_${index}`, 'whk_hung'))
      await enqueueMany(database.db, 'com_1', rows, (index) => ({
        ...start(`retry_${index}`, retries),
        since: new Date(Date.now() + 600_000 + index),
      }))
      await database.db.raw('ANALYZE TABLE outbox')
      const before = await rowsRead(session)
      expect(await dueLanes(session)).to.have.length(2)
      const shares = [share('whk_hung', 5), share(retries, 5), share('whk_neighbour', 5)]
      expect(await claim('w1', shares, 0, session)).to.have.length(6)
      return (await rowsRead(session)) - before
    }
    // One connection, because the server counts what each of them reads.
    const session = connect(database.url, { severalStatements: true, poolSize: 1 })
    try {
      const few = await readsWith(10)
      const many = await readsWith(4_000)
      expect(many).to.be.at.most(few + 20)
    } finally {
      await session.destroy()
    }
  })
})

describe('claiming first attempts', () => {
  const its = useOperations()
  const { tenant, newWebhook, publish } = its
  let webhookId: string
  beforeEach(async () => {
    await its.empty('outbox')
    webhookId = await newWebhook()
  })

  const claim = (isDirect: boolean, options = {}) => its.claim(webhookId, { isDirect, ...options })
  const inTemporal = async () => (await its.rowsOf(webhookId)).map((row) => row.in_temporal)
  const outbox = () => its.db('outbox').first('version', 'tries', 'is_direct', 'lease_owner')

  it('leaves the delivery out of Temporal when a worker makes the attempt, and gives it the event', async () => {
    await publish(2)
    const claims = await claim(true)
    expect(claims.map(({ isDirect }) => isDirect)).to.deep.equal([true, true])
    for (const { delivery } of claims)
      expect(delivery?.body?.toString()).to.include('"event":"contact.created"')
    expect(await inTemporal()).to.deep.equal([0, 0])
    expect(await outbox()).to.include({ is_direct: 1, lease_owner: 'w1', tries: 1 })
  })

  it('notes in the claim that a workflow may exist, and then no direct attempt begins, nor at the third claim without a record', async () => {
    await publish()
    await claim(false, { leaseMs: 0 })
    expect(await inTemporal()).to.deep.equal([1])
    const [again] = await claim(true, { owner: 'w2' })
    expect(again).to.include({ isDirect: false })
    expect(await outbox()).to.include({ is_direct: 0, lease_owner: 'w2' })
    await its.empty('outbox', 'deliveries')
    await publish()
    const claims = []
    for (const owner of ['w1', 'w2', 'w3']) claims.push(...(await claim(true, { owner, leaseMs: 0 })))
    expect(claims.map(({ isDirect }) => isDirect)).to.deep.equal([true, true, false])
    expect(await inTemporal()).to.deep.equal([1])
  })

  it('leaves an attempt for a moment whose delivery another transaction locks', async () => {
    await publish(2)
    const locked = (await its.rowsOf(webhookId))[0]!.id
    const claims = await whileHeld(its.db, locked, () => claim(true))
    expect(claims).to.have.length(1)
    expect(claims[0]?.row.targetId).not.to.equal(locked)
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
})
