// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { enqueueCommands, type NewCommand } from '../../../src/db/outbox/outbox.ts'
import {
  COMMAND_QUEUE,
  directRetryQueue,
  dueQueue,
  PAGE_QUEUE,
  QUEUES_PER_SEARCH,
} from '../../../src/db/outbox/queues.ts'
import { CandidateFinder } from '../../../src/relay/candidates.ts'
import { useDatabase } from '../../support/database.ts'
import { enqueueMany } from '../../support/many-rows.ts'
import { countRowsRead } from '../../support/rows-read.ts'

// decision: What a search of the outbox reads
describe('finding what may be claimed', function () {
  this.timeout(60_000)
  const database = useDatabase()
  beforeEach(() => database.db('outbox').delete())

  const enqueue = (companyId: string, ...commands: NewCommand[]) =>
    enqueueCommands(database.db, { companyId }, commands)
  const start = (queue: string, targetId = `del_${queue}`): NewCommand => ({ kind: 'start', targetId, queue })
  const find = async (finder: CandidateFinder, db = database.db) =>
    (await finder.find(db)).map(({ queue }) => queue)
  const name = (index: number) => `whk_${String(index).padStart(6, '0')}`

  /** Makes `count` webhooks of one company, each with a due delivery. */
  async function fill(webhooks: number): Promise<void> {
    const due = (index: number) => start(dueQueue(name(index)), `del_${index}`)
    await enqueueMany(database.db, 'com_many', webhooks, due)
    await database.db.raw('ANALYZE TABLE outbox')
  }

  it('reads every queue in every search while there are few', async () => {
    await enqueue('com_1', start('whk_a'), start(dueQueue('whk_a'), 'del_2'), start('whk_b'))
    await enqueue('com_2', { kind: 'retry', targetId: 'del_3', queue: COMMAND_QUEUE })
    await enqueue('com_2', { kind: 'cancel-webhook', targetId: 'whk_c', queue: PAGE_QUEUE })
    const finder = new CandidateFinder()
    for (let search = 0; search < 3; search++) {
      expect(await finder.find(database.db)).to.deep.equal([
        { queue: COMMAND_QUEUE, companyId: 'com_2' },
        { queue: PAGE_QUEUE, companyId: 'com_2' },
        ...['whk_a', dueQueue('whk_a'), 'whk_b'].map((queue) => ({ queue, companyId: 'com_1' })),
      ])
    }
  })

  it('reaches all queues after some searches when there are more than one search may read', async () => {
    const queues = 2 * QUEUES_PER_SEARCH + 100
    await fill(queues)
    const finder = new CandidateFinder()
    const seen = new Set<string>()
    for (let search = 0; search < 3; search++) for (const queue of await find(finder)) seen.add(queue)
    expect(seen.size).to.equal(queues)
  })

  it('finds the new delivery of a neighbour at once beside thousands of queues, and searches the queue of a busy webhook again before its 500 are read again', async () => {
    await fill(3_000)
    const finder = new CandidateFinder()
    await find(finder)
    // The previous search read this queue. The relay would read it again after four more searches.
    await enqueue('com_neighbour', start('whk_000000'))
    expect(await find(finder)).to.include('whk_000000')
    // Its rows are older than the newest rows, which every search reads.
    const busy = { queue: dueQueue(name(1_700)), companyId: 'com_many' }
    finder.claimed([busy])
    expect(await find(finder)).to.include(busy.queue)
    await database.db('outbox').where({ lane: busy.queue }).delete()
    for (let search = 0; search < 2; search++) expect(await find(finder)).to.not.include(busy.queue)
  })

  it('reads no more rows in a search with 8,000 queues than with 2,500', async () => {
    const reads: number[] = []
    for (const queues of [2_500, 8_000]) {
      await database.db('outbox').delete()
      await fill(queues)
      const finder = new CandidateFinder()
      await find(finder)
      const search = async (trx: typeof database.db) => expect(await find(finder, trx)).to.not.be.empty
      reads.push(await countRowsRead(database.db, search))
    }
    expect(reads[1]).to.be.at.most(reads[0]! + 50)
  })

  // decision: Rings that name queues
  describe('after a ring that names queues', () => {
    const hint = (queue: string) => ({ companyId: 'com_1', queue })

    it('gives these without a search until the latest one is 50 ms old, and searches when another ring names none, and for the first one', async () => {
      await enqueue('com_1', start('whk_a'))
      const found = [{ companyId: 'com_1', queue: 'whk_a' }]
      const finder = new CandidateFinder()
      await finder.next(database.db, 0)
      finder.hint([hint('whk_b'), hint('whk_b')])
      const neverAsked = undefined as unknown as typeof database.db
      expect(await finder.next(neverAsked, 49)).to.deep.equal([hint('whk_b')])
      expect(await finder.next(database.db, 49)).to.deep.equal(found)
      finder.hint([hint('whk_b')])
      expect(await finder.next(database.db, 99)).to.deep.equal(found)
      const another = new CandidateFinder()
      for (let n = 0; n < 2; n++) {
        another.hint([hint('whk_b')])
        if (n > 0) another.hint(undefined)
        expect(await another.next(database.db)).to.deep.equal(found)
      }
    })

    // decision: Fairness
    it('gives the retries of the same webhooks too that the search found, until these queues are empty', async () => {
      const queues = ['whk_a', directRetryQueue('whk_a'), dueQueue('whk_a'), directRetryQueue('whk_b')]
      await enqueue('com_1', ...queues.map((queue) => start(queue)))
      const finder = new CandidateFinder()
      await finder.next(database.db, 0)
      const next = async () => {
        finder.hint([hint('whk_a')])
        return (await finder.next(undefined as unknown as typeof database.db, 49)).map(({ queue }) => queue)
      }
      expect(await next()).to.have.members(queues.slice(0, 3))
      finder.emptied([hint(dueQueue('whk_a'))])
      expect(await next()).to.have.members(queues.slice(0, 2))
    })
  })
})
