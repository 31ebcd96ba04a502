import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { databaseChecks, createReadiness } from '../../../src/process/health.ts'
import { DatabaseClock } from '../../../src/deps/database-clock.ts'
import { startHeartbeat, type Heartbeat } from '../../../src/process/heartbeat.ts'
import { useDatabase, testDeps } from '../../support/database.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'

type Line = { readonly level: number; readonly msg: string; readonly settings?: string[] }
type Worker = { readonly heartbeat: Heartbeat; readonly lines: Line[]; nextBeat(): Promise<void> }

const SECRETS_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const WARN = 40
const BEAT_MS = 20

// decision: Workers show their settings
describe('the heartbeat of a worker', () => {
  const database = useDatabase()
  const dir = useTemporaryDirectory()
  const started: Heartbeat[] = []
  afterEach(async () => {
    await Promise.all(started.splice(0).map((heartbeat) => heartbeat.stop()))
    await database.db('workers').delete()
  })

  async function startWorker(id: string, settings: Record<string, string> = {}): Promise<Worker> {
    const environment = { SECRETS_KEYS, ...settings }
    const lines: Line[] = []
    const log = pino({ level: 'info' }, { write: (text) => lines.push(JSON.parse(text) as Line) })
    const deps = { ...testDeps(database, environment), log }
    const heartbeat = await startHeartbeat(deps, { id, address: '127.0.0.1:1' }, BEAT_MS)
    started.push(heartbeat)
    const beats = new EventEmitter()
    heartbeat.onBeat(() => beats.emit('beat'))
    // The first beat to end may have read the workers before this call. Only the beat after it has read every earlier
    // change.
    const nextBeat = async () => {
      for (let beat = 0; beat < 2; beat++) await once(beats, 'beat')
    }
    return { heartbeat, lines, nextBeat }
  }
  const warnings = ({ lines }: Worker) =>
    lines.filter(({ level }) => level === WARN).map(({ settings }) => settings)

  it('warns once, by name, of the settings in which a live worker differs, and again only when that changes', async () => {
    const first = await startWorker('wrk_1')
    const second = await startWorker('wrk_2', { WEBHOOK_RETRY_SCHEDULE: '1s,2s' })
    await first.nextBeat()
    for (const worker of [first, second]) expect(warnings(worker)).to.deep.equal([['WEBHOOK_RETRY_SCHEDULE']])
    expect(first.lines[0]?.msg).to.equal('other live workers differ from this one in WEBHOOK_RETRY_SCHEDULE')

    const third = await startWorker('wrk_3', { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' })
    await first.nextBeat()
    expect(warnings(first).at(-1)).to.deep.equal(['WEBHOOK_ALLOWED_NETWORKS', 'WEBHOOK_RETRY_SCHEDULE'])
    for (const { heartbeat } of [second, third]) {
      await heartbeat.stop()
      await first.nextBeat()
    }
    expect(first.lines.at(-1)?.msg).to.equal('all live workers have the same settings again')
    expect(warnings(first).slice(2)).to.deep.equal([['WEBHOOK_ALLOWED_NETWORKS']])
  })

  it('compares what is in the file of WEBHOOK_CA_FILE and not its name, and the ids of SECRETS_KEYS', async () => {
    const files = ['a.pem', 'same.pem', 'b.pem'].map((name) => path.join(dir.path, name))
    await Promise.all(files.map((file, index) => writeFile(file, index < 2 ? 'one' : 'two')))
    const [a, same, b] = files.map((WEBHOOK_CA_FILE) => ({ WEBHOOK_CA_FILE }))
    await startWorker('wrk_1', a)
    expect(warnings(await startWorker('wrk_2', same))).to.deep.equal([])
    expect(warnings(await startWorker('wrk_3', b))).to.deep.equal([['WEBHOOK_CA_FILE']])
    const more = `${SECRETS_KEYS},k2:${Buffer.alloc(32, 2).toString('base64')}`
    expect(warnings(await startWorker('wrk_4', { ...b, SECRETS_KEYS: more }))[0]).to.include('SECRETS_KEYS')
  })

  it('takes a worker of the former release, which writes no settings, for one that agrees', async () => {
    const now = database.db.raw('NOW(3)')
    // Use exactly the columns that the heartbeat of that release writes.
    const former = { id: 'wrk_former', address: '127.0.0.1:2', started_at: now, heartbeat_at: now }
    await database.db('workers').insert(former)
    const worker = await startWorker('wrk_1')
    await worker.nextBeat()
    expect(worker.heartbeat.liveWorkers()).to.equal(2)
    expect(worker.lines).to.deep.equal([])
  })
})

// decision: Clocks
describe('the clock of a machine', () => {
  const database = useDatabase()

  it('is warned about beyond a second, and stops the process from being ready beyond 30', async () => {
    let aheadMs = 0
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (text) => lines.push((JSON.parse(text) as Line).msg) })
    const deps = { ...testDeps(database), log, clock: () => new Date(Date.now() + aheadMs) }
    const clock = new DatabaseClock(deps)
    const seen = async (ms: number) => {
      aheadMs = ms
      const before = lines.length
      await clock.measure()
      const metric = (await deps.metrics.clockOffset.get()).values[0]!.value
      expect(metric).to.be.closeTo(ms / 1_000, 0.5)
      expect(clock.now().getTime()).to.be.closeTo(Date.now(), 500)
      const { ready: isNear } = await createReadiness(databaseChecks(database.db, clock)).check()
      return { isNear, warned: lines.length > before }
    }
    for (const [ms, isNear, warned] of [
      [0, true, false],
      [-3_000, true, true],
      [360_000, false, false],
      [100, true, false],
      [-31_000, false, true],
    ] as const)
      expect(await seen(ms), `${ms} ms`).to.deep.equal({ isNear, warned })
  })
})
