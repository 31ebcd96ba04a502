// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { type SystemDb, connect } from '../../../src/db/connection/connection.ts'
import { insertCompany } from '../../../src/db/companies.ts'
import { listOpenGroups } from '../../../src/db/delivery/open-groups.ts'
import { newId } from '../../../src/domain/ids.ts'
import { enqueueCommands } from '../../../src/db/outbox/outbox.ts'
import { dueQueue } from '../../../src/db/outbox/queues.ts'
import { DAY_MS } from '../../../src/domain/instants.ts'
import { listReconciler } from '../../../src/upkeep/jobs.ts'
import { runRound, Upkeep, type Job, type Series } from '../../../src/upkeep/upkeep.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { untilSomebodyWaitsForLock } from '../../support/lock-waits.ts'
import { enqueueMany, insertOpenDeliveries } from '../../support/many-rows.ts'
import { countRowsRead } from '../../support/rows-read.ts'
import { useOperations } from '../../support/use-operations.ts'
import { pino } from 'pino'
import { useDatabase, testDeps } from '../../support/database.ts'
import { untilSo } from '../../support/poll.ts'

describe('the reconciler', () => {
  const its = useOperations()
  const { queued } = its
  beforeEach(() => its.empty('leases', 'deliveries', 'outbox'))

  const LONG_AGO = new Date(Date.now() - 600_000)
  /** A long overdue delivery that no command or workflow will wake. */
  const forget = async (columns: object = { next_retry_at: LONG_AGO, wake_at: LONG_AGO }) =>
    its.insertOpen(await its.newWebhook(), columns)
  type Parts = Parameters<typeof listReconciler>[1]
  const PARTS: Parts = { prepareTemporal: () => Promise.resolve(), onQueued: () => undefined }
  const soon = (db = its.db): SystemDeps => ({
    ...its.deps,
    db,
    config: { ...its.deps.config, reconcileAfterMs: 200 },
  })
  function start(parts: Partial<Parts>) {
    const series = [listReconciler(soon(), { ...PARTS, ...parts })]
    const upkeep = new Upkeep(its.deps, { owner: 'w1', series })
    upkeep.start()
    return () => upkeep.stop()
  }

  it('queues overdue and parked deliveries that nothing would wake, rings, and counts them, also while Temporal cannot be prepared', async () => {
    await forget()
    await forget({ wake_at: null, parked_at: LONG_AGO })
    const before = (await its.deps.metrics.reconciled.get()).values[0]?.value ?? 0
    const both = Promise.withResolvers<undefined>()
    let rings = 0
    const onQueued = () => {
      rings += 1
      if (rings === 2) both.resolve(undefined)
    }
    const stop = start({ onQueued, prepareTemporal: () => Promise.reject(new Error('away')) })
    await both.promise
    await stop()
    expect(await queued()).to.deep.equal(['wake', 'wake'])
    expect((await its.deps.metrics.reconciled.get()).values[0]?.value).to.equal(before + 2)
  })

  const roundOn = (db: SystemDb, parts: Partial<Parts> = {}) =>
    runRound({ ...its.deps, db }, 'w1', listReconciler(soon(db), { ...PARTS, ...parts }))

  it('goes on at once when the server kills one of its statements', async () => {
    const [id] = await forget()
    const rival = await its.db.transaction()
    // The reconciler's insert waits for this transaction.
    await enqueueCommands(rival, its.tenant(), [{ kind: 'wake', targetId: id!, queue: 'calls' }])
    let rings = 0
    const round = roundOn(its.db, { onQueued: () => void (rings += 1) })
    await untilSomebodyWaitsForLock(its.db)
    const killed = await its
      .db('information_schema.processlist')
      .whereRaw("db = DATABASE() AND info LIKE '%INTO outbox%' AND id <> CONNECTION_ID()")
      .pluck<number[]>('id')
    for (const thread of killed) await its.db.raw('KILL QUERY ?', [thread])
    await rival.rollback()
    await round
    expect({ rings, queued: await queued() }).to.deep.equal({ rings: 1, queued: ['wake'] })
  })

  // decision: What the reconciler reads
  it('finds the lost delivery of a company in one round, however many wait for another', async function () {
    this.timeout(120_000)
    const many = await its.newWebhook()
    const ids = await its.insertOpen(many, { next_retry_at: LONG_AGO, wake_at: LONG_AGO }, 10_000)
    const due = (index: number) => ({ kind: 'due', targetId: ids[index]!, queue: dueQueue(many) }) as const
    await enqueueMany(its.db, its.tenant().companyId, ids.length, due)
    const neighbour = { companyId: newId('company'), environment: 'live' } as const
    await insertCompany(its.db, { id: neighbour.companyId, name: 'Neighbour', createdAt: new Date() })
    const [webhookId] = await its.insertWebhooks(1, neighbour)
    const later = new Date(LONG_AGO.getTime() + 1)
    const insert = async (columns: object) =>
      (await insertOpenDeliveries(its.db, 1, { tenant: neighbour, webhookId: webhookId!, columns }))[0]
    const lost = [await insert({ wake_at: later }), await insert({ wake_at: null, parked_at: later })]
    const read = await countRowsRead(its.db, (trx) => roundOn(trx))
    const woken = await its.db('outbox').where({ kind: 'wake' }).pluck('subject_id')
    expect(woken).to.have.members(lost)
    // The company's own 8,000 deliveries and those in turns, each with its outbox rows.
    expect(read).to.be.below(150_000)
    expect(await countRowsRead(its.db, (trx) => listOpenGroups(trx, '', 1_000))).to.be.below(100)
  })

  // decision: Endpoints that fail for days
  it('prepares Temporal in every worker, searches in one of them, and deactivates webhooks there whose endpoints failed for days', async () => {
    const id = await its.newWebhook()
    const since = new Date(Date.now() - 6 * DAY_MS)
    const counted = { since, latestAt: new Date(), attempts: 50, days: 3 }
    const fail = () => its.setHealth(id, { consecutiveFailures: 50, counted })
    await fail()
    let prepared = 0
    const parts = { ...PARTS, prepareTemporal: () => Promise.resolve(void prepared++) }
    const round = (owner: string) => runRound(its.deps, owner, listReconciler(its.deps, parts))
    const isActive = async () => (await its.stateOf(id)).isActive
    await round('w1')
    expect(await isActive()).to.equal(false)
    await its.setActive(id, true)
    await fail()
    await forget({ wake_at: null, parked_at: LONG_AGO })
    await round('w2')
    expect(await isActive()).to.equal(true)
    expect([prepared, await queued()]).to.deep.equal([2, ['resume-webhook']])
  })

  it('waits at its end for what is under way, and begins no page after it was told to stop', async () => {
    await forget()
    const [begun, going] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const stop = start({ prepareTemporal: () => (begun.resolve(undefined), going.promise) })
    await begun.promise
    let isStopped = false
    const stopped = stop().then(() => (isStopped = true))
    await its.db.raw('SELECT 1')
    expect(isStopped).to.equal(false)
    going.resolve(undefined)
    await stopped
    expect(await queued()).to.deep.equal([])
  })
})

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
  /** Records each call of its methods. */
  const job = (name: string, look: () => Promise<void> = () => Promise.resolve()): Job => ({
    look: () => (calls.push(`${name} looks`), look()),
    rest: note(`${name} rests`),
    stop: note(`${name} is told to stop`),
    close: () => Promise.resolve(void calls.push(`${name} is closed`)),
  })
  const SERIES: Series = { name: 'series', intervalMs: 20, ofEach: [] }
  const series = (parts: Partial<Series>): Series => ({ ...SERIES, ...parts })

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
    const { promise, resolve: end } = Promise.withResolvers<undefined>()
    const first = series({ ofEach: [job('first', () => promise)] })
    const last = series({ ofEach: [job('last')], isLast: true })
    const upkeep = new Upkeep(deps(), { owner: 'w1', series: [first, last] })
    upkeep.start()
    await untilSo(() => calls.includes('first looks') && calls.includes('last looks'))
    const stopped = upkeep.stop()
    expect(calls).to.include('first is told to stop').and.not.include('first is closed')
    calls = []
    await untilSo(() => calls.includes('last looks'))
    end(undefined)
    await stopped
    expect(calls).to.include('first is closed').and.not.include('last is told to stop')
    await upkeep.stopLast()
    expect(calls.slice(-2)).to.deep.equal(['last is told to stop', 'last is closed'])
  })
})
