import { connect } from '../../../src/db/connection/connection.ts'
import { expect } from 'chai'
import { pino } from 'pino'
import { runRound, Upkeep, type Job, type Series } from '../../../src/upkeep/upkeep.ts'
import { useDatabase } from '../../support/database.ts'
import { testDeps } from '../../support/deps.ts'
import { untilSo } from '../../support/poll.ts'

describe('the jobs that a worker does by the clock', () => {
  const database = useDatabase()
  let calls: string[]
  let lines: { readonly msg: string }[]
  beforeEach(async () => {
    calls = []
    lines = []
    await database.db('leases').delete()
  })

  const deps = () => {
    const log = pino({ level: 'info' }, { write: (text) => lines.push(JSON.parse(text) as { msg: string }) })
    return { ...testDeps(database), log }
  }
  const note = (what: string) => () => void calls.push(what)
  /** Notes each call of its methods. */
  const job = (name: string, look: () => Promise<void> = () => Promise.resolve()): Job => ({
    look: () => {
      calls.push(`${name} looks`)
      return look()
    },
    rest: note(`${name} rests`),
    stop: note(`${name} is told to stop`),
    close: () => {
      calls.push(`${name} is closed`)
      return Promise.resolve()
    },
  })
  const series = (parts: Partial<Series>): Series => ({
    name: 'series',
    intervalMs: 20,
    ofEach: [],
    ...parts,
  })

  it('of each worker come first, and those of the leader rest where another worker leads', async () => {
    const one = series({ intervalMs: 60_000, ofEach: [job('each')], ofLeader: [job('first'), job('second')] })
    await runRound(deps(), 'w1', one)
    expect(calls.splice(0)).to.deep.equal(['each looks', 'first looks', 'second looks'])
    await runRound(deps(), 'w2', one)
    expect(calls).to.deep.equal(['each looks', 'first rests', 'second rests'])
  })

  it('each have their look though the one before failed, which the log says; but none while nobody knows who leads', async () => {
    const faulty = () => Promise.reject(new Error('a fault'))
    const one = series({ ofEach: [job('each', faulty)], ofLeader: [job('first', faulty), job('second')] })
    await runRound(deps(), 'w1', one)
    expect(calls).to.deep.equal(['each looks', 'first looks', 'second looks'])
    const line = 'a part of a round of the series failed'
    expect(lines.splice(0).map(({ msg }) => msg)).to.deep.equal([line, line])
    calls = []
    const ended = connect(database.url)
    await ended.destroy()
    await runRound({ ...deps(), db: ended }, 'w1', series({ ofLeader: [job('first')] }))
    expect(calls).to.deep.equal([])
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['a round of the series failed'])
  })

  it('are closed after the look under way, and the last series not before it is asked to end', async () => {
    let end: () => void = () => undefined
    const hangs = () => new Promise<void>((resolve) => (end = resolve))
    const upkeep = new Upkeep(deps(), {
      owner: 'w1',
      series: [series({ ofEach: [job('first', hangs)] }), series({ ofEach: [job('last')], isLast: true })],
    })
    upkeep.start()
    await untilSo(() => calls.includes('first looks') && calls.includes('last looks'))
    const stopped = upkeep.stop()
    expect(calls).to.include('first is told to stop').and.not.include('first is closed')
    calls = []
    await untilSo(() => calls.includes('last looks'))
    end()
    await stopped
    expect(calls).to.include('first is closed').and.not.include('last is told to stop')
    await upkeep.stopLast()
    expect(calls.slice(-2)).to.deep.equal(['last is told to stop', 'last is closed'])
  })
})
