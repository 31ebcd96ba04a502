import { expect } from 'chai'
import { newId } from '../../../src/domain/ids.ts'
import { CompanyRate, WRITE_EVERY_MS } from '../../../src/operations/company-rate.ts'
import { connect, type Db } from '../../../src/db/connection/connection.ts'
import { useDatabase } from '../../support/database.ts'
import { testDeps } from '../../support/deps.ts'
import { until } from '../../support/poll.ts'
import { statementsOf } from '../../support/rows-read.ts'

const LIMIT = 1_000

// decision: Limit per company
describe('the limit of requests per company', () => {
  const its = useDatabase()
  let nowMs = 0
  /** One connection, for which time stands still: no minute of the database ends in the middle of a test. */
  let db: Db
  /** Writes that have begun, and how many of them have read what the other processes wrote. */
  let [begun, read] = [0, 0]
  before(async () => {
    db = connect(its.url, { poolSize: 1 })
    await db.raw('SET timestamp = 1000000000')
    db.on('query', ({ sql }: { sql: string }) => void (begun += Number(sql.startsWith('INSERT'))))
    db.on('query-response', (_, { sql }: { sql: string }) => void (read += Number(sql.startsWith('SELECT'))))
  })
  after(() => db.destroy())
  /** The counter of an api process. */
  const processOf = () => {
    const deps = testDeps(its, { COMPANY_RATE_LIMIT_PER_MINUTE: String(LIMIT) })
    return new CompanyRate({ ...deps, db, databaseClock: { now: () => new Date(nowMs) } })
  }
  /** Each test has its own: the write of a former one may still be under way. */
  let companyId: string
  beforeEach(() => {
    nowMs = 0
    companyId = newId('company')
  })
  const written = async () =>
    (await its.db('company_requests').where({ company_id: companyId }).first<{ taken: number } | undefined>())
      ?.taken ?? 0
  /** Waits until that is written; a request that takes nothing lets a process write that did so too short ago. */
  const takenIs = (points: number, ...rates: CompanyRate[]) =>
    until(
      async () => {
        for (const rate of rates) rate.take(companyId, 0)
        return { taken: await written(), isOver: begun === read }
      },
      ({ taken, isOver }) => taken === points && isOver,
    )
  const take = (rate: CompanyRate, times: number) => {
    for (let n = 0; n < times; n++) rate.take(companyId, 1)
  }

  it('holds over all processes, from the next second on, and begins again with the next minute', async () => {
    const [one, other] = [processOf(), processOf()]
    take(one, 600)
    take(other, 300)
    // Both wrote when they had taken more than a twentieth, and write the rest a second later.
    await takenIs(51 + 51, one, other)
    nowMs += WRITE_EVERY_MS
    await takenIs(600 + 300, one, other)
    nowMs += WRITE_EVERY_MS
    take(one, 1)
    await takenIs(901, one)
    expect(() => take(one, 100))
      .to.throw('may make 1000 requests a minute')
      .with.property('headers')
    nowMs += 60_000
    take(other, LIMIT)
    expect(() => take(other, 1)).to.throw()
  })

  it('writes nothing for a company far below it, and once a second for any other', async () => {
    const rate = processOf()
    const statements = await statementsOf(db, async () => {
      take(rate, 50)
      expect(await written()).to.equal(0)
      take(rate, 500)
      await takenIs(51)
    })
    expect(statements.filter((sql) => sql.startsWith('INSERT'))).to.have.length(1)
  })

  it('says how long to wait; a refused request takes nothing, and a neighbour has a limit of its own', () => {
    const rate = processOf()
    nowMs = 20_000
    rate.take(companyId, LIMIT - 10)
    expect(() => rate.take(companyId, 20))
      .to.throw()
      .with.deep.property('headers', { 'Retry-After': '40' })
    rate.take(companyId, 10)
    rate.take(newId('company'), LIMIT)
  })

  it('goes on in each process while the database is away', async () => {
    const deps = testDeps(its, { COMPANY_RATE_LIMIT_PER_MINUTE: String(LIMIT) })
    const failed = {
      ...deps,
      db: (() => Promise.reject(new Error('away'))) as never,
      databaseClock: { now: () => new Date(0) },
    }
    const rate = new CompanyRate(failed)
    take(rate, LIMIT)
    await new Promise(setImmediate)
    expect(() => take(rate, 1)).to.throw('requests a minute')
  })
})
