import { expect } from 'chai'
import { dueQueue, enqueueCommands } from '../../../../src/db/outbox.ts'
import { measureOutbox } from '../../../../src/db/system/outbox-figures.ts'
import { toHealthRow } from '../../../../src/db/webhook/health.ts'
import { HEALTHY } from '../../../../src/domain/webhook/health.ts'
import { useDatabase } from '../../../support/database.ts'
import { countRowsRead } from '../../../support/rows-read.ts'

describe('the figures of the outbox', function () {
  this.timeout(60_000)
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  /** Rows that have been due for so many seconds, in queues of their own. */
  async function fill(name: string, rows: number, seconds = 0): Promise<void> {
    for (let from = 0; from < rows; from += 2_000) {
      const some = Array.from({ length: Math.min(2_000, rows - from) }, (_, index) => from + index)
      await enqueueCommands(
        database.db,
        { companyId: 'com_1' },
        some.map((index) => ({
          ...{ kind: 'due', targetId: `${name}_${index}`, queue: dueQueue(`whk_${index}`) },
          since: new Date(Date.now() - seconds * 1000),
        })),
      )
    }
  }

  // decision: `webhook_outbox_pending`
  it('are exact while few rows wait, and tell for how long the oldest has been due', async () => {
    expect(await measureOutbox(database.db)).to.deep.equal({ pending: 0, oldestSeconds: 0 })
    await fill('new', 20)
    await fill('old', 1, 600)
    const { pending, oldestSeconds } = await measureOutbox(database.db)
    expect(pending).to.equal(21)
    expect(oldestSeconds).to.be.within(599, 700)
  })

  // decision: `webhook_outbox_pending`
  it('leave out for how long first attempts wait for an endpoint that fails', async () => {
    const failing = { ...HEALTHY, consecutiveFailures: 20, probeAt: new Date(Date.now() + 60_000) }
    await database.db('webhook_health').insert(toHealthRow('whk_dead', failing, new Date()))
    await enqueueCommands(
      database.db,
      { companyId: 'com_1' },
      Array.from({ length: 1_500 }, (_, index) => ({
        ...{ kind: 'start', targetId: `dead_${index}`, queue: 'whk_dead' },
        since: new Date(Date.now() - 3_600_000),
      })),
    )
    await fill('other', 1, 60)
    expect((await measureOutbox(database.db)).oldestSeconds).to.be.within(59, 100)
  })

  // decision: `webhook_outbox_pending`
  it('are an estimate when many rows wait, and cost the same then', async () => {
    const reads: number[] = []
    // A queue with one row is read with one step less than a longer one, so every queue has two before the first measurement.
    await fill('first', 6_000)
    for (const rows of [6_000, 28_000]) {
      await fill(`some_${rows}`, rows)
      await database.db.raw('ANALYZE TABLE outbox')
      reads.push(await countRowsRead(database.db, (trx) => measureOutbox(trx)))
    }
    expect(reads[1]).to.be.at.most(reads[0]! + 50)
    expect((await measureOutbox(database.db)).pending).to.be.within(25_000, 60_000)
  })
})
