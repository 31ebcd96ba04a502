// Also on MySQL with direct attempts: its statements are SQL of ours.
import { expect } from 'chai'
import { connect } from '../../../../src/db/connection/connection.ts'
import { claimShares } from '../../../../src/db/outbox/claims.ts'
import * as queues from '../../../../src/db/outbox/queues.ts'
import {
  deleteCommand,
  putBackRow,
  releaseRow,
  enqueueCommands,
  type NewCommand,
} from '../../../../src/db/outbox/outbox.ts'
import { useDatabase } from '../../../support/database.ts'
import { whileHeld } from '../../../support/lock-waits.ts'
import { enqueueMany } from '../../../support/many-rows.ts'
import { rowsRead } from '../../../support/rows-read.ts'
import { useOperations } from '../../../support/use-operations.ts'
import { isWaitingForSlot, queueDue } from '../../../../src/db/outbox/due-queue.ts'
import { closeDeliveries } from '../../../../src/db/delivery/open-deliveries.ts'

const { BEFORE_WEBHOOKS, COMMAND_QUEUE, dueQueue, searchQueues } = queues
const { FAILED_QUEUE, HANDOVER_QUEUE, PAGE_QUEUE } = queues

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
  const claimCommands = (owner: string) => claim(owner, [share(COMMAND_QUEUE, 10)])
  const afterCompany = { [COMMAND_QUEUE]: '', [PAGE_QUEUE]: '', [HANDOVER_QUEUE]: '', [FAILED_QUEUE]: '' }
  const beginning = { afterCompany, afterQueue: BEFORE_WEBHOOKS, also: [] }
  const dueLanes = async (db = database.db) =>
    (await searchQueues(db, beginning)).webhooks.filter(({ isDue }) => isDue).map(({ queue }) => queue)

  it('gives a row to one claimer only, however many ask at once', async () => {
    await enqueue('com_1', ...Array.from({ length: 50 }, (_, index) => start(`del_${index}`, 'whk_1')))
    const owners = Array.from({ length: 8 }, (_, owner) => `w${owner}`)
    const claims = await Promise.all(owners.map((owner) => claim(owner, [share('whk_1', 20)])))
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
    const claimed = async () => (await claim('w1', [share('whk_1', 5)])).map(({ targetId }) => targetId)
    await database.db.transaction(async (holder) => {
      await holder('outbox').where({ subject_id: 'del_2' }).forUpdate()
      expect(await claimed()).to.deep.equal(['del_1', 'del_3'])
    })
    expect(await claimed()).to.deep.equal(['del_2'])
  })

  it('keeps a command that was asked for again while it was being carried out', async () => {
    const command: NewCommand = { kind: 'retry', targetId: 'del_1', queue: COMMAND_QUEUE, argument: 1 }
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
    // Use one connection, because the server counts the rows that each connection reads.
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

describe('queueing commands', () => {
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  const RETRY = { kind: 'retry', targetId: 'del_1', queue: COMMAND_QUEUE } as const
  /** Queues commands. Each is a retry of a delivery except for the given fields. */
  const enqueue = (...commands: Partial<NewCommand>[]) => {
    const all = commands.map((fields) => ({ ...RETRY, ...fields }))
    return enqueueCommands(database.db, { companyId: 'com_1' }, all)
  }
  const rows = () =>
    database
      .db('outbox')
      .orderBy('id')
      .select('kind', 'company_id', 'version', 'argument', 'tries', 'lease_owner')
      .select(database.db.raw('available_at <= NOW(3) AS is_due'))
  const FRESH = { company_id: 'com_1', version: 1, argument: null, tries: 0, lease_owner: null, is_due: 1 }

  it('makes each of them a row that may be claimed at once; one that is being carried out is due again, as a newer version without a lease', async () => {
    await enqueue({}, { kind: 'wake' }, { targetId: 'del_2', argument: 7 })
    expect(await rows()).to.deep.equal([
      { ...FRESH, kind: 'retry' },
      { ...FRESH, kind: 'wake' },
      { ...FRESH, kind: 'retry', argument: 7 },
    ])
    await database.db('outbox').delete()
    await enqueue({})
    const inAnHour = database.db.raw('NOW(3) + INTERVAL 1 HOUR')
    await database.db('outbox').update({ lease_owner: 'w1', tries: 5, available_at: inAnHour })
    await enqueue({})
    expect(await rows()).to.deep.equal([{ ...FRESH, kind: 'retry', version: 2 }])
  })

  it('keeps the highest number of repeated commands, in whatever order they came', async () => {
    const kept: unknown[] = []
    for (const asked of [{}, { argument: 2 }, {}, { argument: 5 }, { argument: 3 }]) {
      await enqueue(asked)
      kept.push((await rows())[0].argument)
    }
    expect(kept).to.deep.equal([null, 2, 2, 5, 5])
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
    for (let time = 0; time < 2; time++) {
      await queueDue(its.db, early)
      expect((await claim(1)).map(({ targetId }) => targetId)).to.deep.equal([early])
    }
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
    const close = () => closeDeliveries(its.db, [held, other], 'webhook_deleted')
    expect(await whileHeld(its.db, held, close)).to.deep.equal({ closed: 1, lockedElsewhere: 1 })
    expect(await its.db('deliveries').where({ status: 'retrying' }).pluck('id')).to.deep.equal([held])
  })
})
