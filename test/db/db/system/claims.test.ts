import { expect } from 'chai'
import { connect } from '../../../../src/db/connection/connection.ts'
import { claimShares } from '../../../../src/db/system/claims.ts'
import { FIRST_WEBHOOK, searchQueues } from '../../../../src/db/system/queues.ts'
import { deleteCommand, putBackRow, releaseRow } from '../../../../src/db/system/outbox-rows.ts'
import {
  COMMAND_QUEUE,
  enqueueCommands,
  FAILED_QUEUE,
  HANDOVER_QUEUE,
  PAGE_QUEUE,
  type NewCommand,
} from '../../../../src/db/outbox.ts'
import { useDatabase } from '../../../support/database.ts'
import { rowsRead } from '../../../support/rows-read.ts'

const LEASE_MS = 30_000

describe('claiming from the outbox', () => {
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  const enqueue = (companyId: string, ...commands: NewCommand[]) =>
    enqueueCommands(database.db, { companyId }, commands)
  const start = (targetId: string, queue: string): NewCommand => ({ kind: 'start', targetId, queue })
  const share = (queue: string, rows: number) => ({ queue, companyId: 'com_1', rows })
  const claim = async (
    owner: string,
    shares: Parameters<typeof claimShares>[1],
    leaseMs = LEASE_MS,
    db = database.batchDb,
  ) => (await claimShares(db, shares, { owner, leaseMs, takesDirectly: () => false })).map(({ row }) => row)
  const claimCommands = (owner: string) => claim(owner, [share(COMMAND_QUEUE, 10)])
  const afterCompany = { [COMMAND_QUEUE]: '', [PAGE_QUEUE]: '', [HANDOVER_QUEUE]: '', [FAILED_QUEUE]: '' }
  const beginning = { afterCompany, afterQueue: FIRST_WEBHOOK, also: [] }
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
    const holder = await database.db.transaction()
    try {
      await holder('outbox').where({ subject_id: 'del_2' }).forUpdate()
      const claimed = await claim('w1', [share('whk_1', 5)])
      expect(claimed.map(({ targetId }) => targetId)).to.deep.equal(['del_1', 'del_3'])
    } finally {
      await holder.rollback()
    }
    expect((await claim('w2', [share('whk_1', 5)])).map(({ targetId }) => targetId)).to.deep.equal(['del_2'])
  })

  it('puts a row back with its back-off and counts one more try', async () => {
    await enqueue('com_1', { kind: 'retry', targetId: 'del_1', queue: COMMAND_QUEUE, argument: 3 })
    const [row] = await claimCommands('w1')
    expect(row).to.include({ kind: 'retry', argument: 3, tries: 0 })
    await releaseRow(database.db, row!, 'w1', 0)
    const [again] = await claimCommands('w2')
    expect(again).to.include({ tries: 1 })
  })

  // decision: Outbox
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
  it('reads as much of the outbox with 100,000 rows behind a hung endpoint as with ten', async function () {
    this.timeout(60_000)
    await enqueue('com_1', start('del_x', 'whk_neighbour'))
    const readsWith = async (rows: number): Promise<number> => {
      await fill(rows)
      await database.db.raw('ANALYZE TABLE outbox')
      const before = await rowsRead(session)
      expect(await dueLanes(session)).to.have.length(2)
      const claimed = await claim('w1', [share('whk_hung', 5), share('whk_neighbour', 5)], 0, session)
      expect(claimed).to.have.length(6)
      return (await rowsRead(session)) - before
    }
    // One connection, because the server counts what each of them reads.
    const session = connect(database.url, { severalStatements: true, poolSize: 1 })
    try {
      const few = await readsWith(10)
      const many = await readsWith(100_000)
      expect(many).to.be.at.most(few + 20)
    } finally {
      await session.destroy()
    }
  })

  async function fill(rows: number): Promise<void> {
    await database.db('outbox').where({ lane: 'whk_hung' }).delete()
    for (let from = 0; from < rows; from += 5_000) {
      const some = Array.from({ length: Math.min(5_000, rows - from) }, (_, index) =>
        start(`del_${from + index}`, 'whk_hung'),
      )
      await enqueue('com_1', ...some)
    }
  }
})
