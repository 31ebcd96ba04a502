import { expect } from 'chai'
import { COMMAND_LANE, dueLane, enqueueCommands, PAGE_LANE, type NewCommand } from '../../src/db/outbox.js'
import { LANES_PER_LOOK } from '../../src/db/system/lanes.js'
import { CandidateFinder } from '../../src/relay/candidates.js'
import { createTestDatabase, type TestDatabase } from '../support/database.js'
import { countRowsRead } from '../support/rows-read.js'

describe('finding what may be claimed', function () {
  this.timeout(60_000)
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())
  beforeEach(() => database.db('outbox').delete())

  const enqueue = (companyId: string, ...commands: NewCommand[]) =>
    enqueueCommands(database.db, { companyId }, commands)
  const start = (lane: string, subjectId = `del_${lane}`): NewCommand => ({ kind: 'start', subjectId, lane })
  const find = async (finder: CandidateFinder, db = database.db) =>
    (await finder.find(db)).lanes.map(({ lane }) => lane)
  const name = (index: number) => `whk_${String(index).padStart(6, '0')}`

  /** That many webhooks of one company, each with a delivery that is due. */
  async function fill(webhooks: number): Promise<void> {
    for (let from = 0; from < webhooks; from += 1_000) {
      const some = Array.from({ length: Math.min(1_000, webhooks - from) }, (_, index) => from + index)
      await enqueue('com_many', ...some.map((index) => start(dueLane(name(index)), `del_${index}`)))
    }
    await database.db.raw('ANALYZE TABLE outbox')
  }

  // decision: What a look at the outbox reads
  it('sees every lane at every look while there are few', async () => {
    await enqueue('com_1', start('whk_a'), start(dueLane('whk_a'), 'del_2'), start('whk_b'))
    await enqueue('com_2', { kind: 'retry', subjectId: 'del_3', lane: COMMAND_LANE })
    await enqueue('com_2', { kind: 'cancel-webhook', subjectId: 'whk_c', lane: PAGE_LANE })
    const finder = new CandidateFinder()
    for (let look = 0; look < 3; look++) {
      const { lanes, pages } = await finder.find(database.db)
      expect(lanes.map(({ lane }) => lane)).to.deep.equal([COMMAND_LANE, 'whk_a', dueLane('whk_a'), 'whk_b'])
      expect(pages).to.deep.include({ lane: PAGE_LANE, companyId: 'com_2', isDue: true })
    }
  })

  // decision: What a look at the outbox reads
  it('goes round over all lanes when there are more than a look may read', async () => {
    const lanes = 2 * LANES_PER_LOOK + 100
    await fill(lanes)
    const finder = new CandidateFinder()
    const seen = new Set<string>()
    for (let look = 0; look < 3; look++) for (const lane of await find(finder)) seen.add(lane)
    expect(seen.size).to.equal(lanes)
  })

  // decision: What a look at the outbox reads
  it('sees the fresh delivery of a neighbour at once beside thousands of lanes', async () => {
    await fill(6_000)
    const finder = new CandidateFinder()
    await find(finder)
    // The window has passed this lane and is not back for ten looks.
    await enqueue('com_neighbour', start('whk_000000'))
    expect(await find(finder)).to.include('whk_000000')
  })

  // decision: What a look at the outbox reads
  it('goes on with a webhook at work before the window is back', async () => {
    await fill(6_000)
    const finder = new CandidateFinder()
    await find(finder)
    // Its rows are older than the newest ones that every look sees.
    const busy = { lane: dueLane(name(3_000)), companyId: 'com_many' }
    finder.claimed([busy])
    expect(await find(finder)).to.include(busy.lane)
    await database.db('outbox').where({ lane: busy.lane }).delete()
    for (let look = 0; look < 2; look++) expect(await find(finder)).to.not.include(busy.lane)
  })

  // decision: What a look at the outbox reads
  it('reads no more rows at a look with 20,000 lanes than with 5,000', async () => {
    const reads: number[] = []
    for (const lanes of [5_000, 20_000]) {
      await database.db('outbox').delete()
      await fill(lanes)
      const finder = new CandidateFinder()
      await find(finder)
      reads.push(
        await countRowsRead(database.db, async (trx) => expect(await find(finder, trx)).to.not.be.empty),
      )
    }
    expect(reads[1]).to.be.at.most(reads[0]! + 50)
    expect(reads[1]).to.be.at.most(12_000)
  })
})
