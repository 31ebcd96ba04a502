import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { collectProcessMetrics } from '../../../src/deps/default-metrics.ts'
import { createLog, describeError } from '../../../src/deps/log.ts'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { waitFor } from '../../../src/process/boot.ts'
import { createReadiness } from '../../../src/process/health.ts'
import { RESERVED_FILES, fitWorkerRoom } from '../../../src/process/limits.ts'

const BLOCKED_MS = 200
/** The time between the beginning of a block and the next due measurement. */
const RESOLUTION_MS = 20

describe('the metrics of the event loop', () => {
  const registry = new Registry()
  collectProcessMetrics(registry)
  /** Reads all metrics, which also resets them. */
  async function readLags(): Promise<Record<string, number>> {
    const metrics = await registry.getMetricsAsJSON()
    const lags = metrics.filter(({ name }) => name.startsWith('nodejs_eventloop_lag_'))
    return Object.fromEntries(lags.map(({ name, values }) => [name, values[0]!.value]))
  }
  const name = (what: string) => `nodejs_eventloop_lag_${what}_seconds`

  // decision: Lag of the event loop
  it('show how long something held the process up, and 0 where nothing was measured', async () => {
    await readLags()
    // The first measurement after a reading only starts the clock for the next one.
    await pause(2 * RESOLUTION_MS)
    const untilMs = performance.now() + BLOCKED_MS
    while (performance.now() < untilMs);
    // Most of the measurements are short, although a busy machine begins some of them late.
    await pause(20 * RESOLUTION_MS)
    const lags = await readLags()
    for (const what of ['max', 'p99'])
      expect(lags[name(what)], what).to.be.at.least((BLOCKED_MS - RESOLUTION_MS) / 1_000)
    expect(lags[name('p50')]).to.be.below(lags[name('max')]!)

    const none = await readLags()
    for (const what of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
      expect(none[name(what)], what).to.equal(0)
  })
})

describe('what the log says of an error', () => {
  it('names a database error by its code, never quotes its statement, and tells the cause', () => {
    const known = { code: 'ER_DUP_ENTRY', errno: 1062 }
    const statement = "insert into `webhooks` values ('canary')"
    const error = Object.assign(new Error(statement), { ...known, sqlState: '23000', sql: statement })
    error.stack = `Error: ${statement}\nnear 'canary'\n    at query (queries.ts:1:2)`
    const described = describeError(error)
    expect(described).to.include({ ...known, message: 'database error ER_DUP_ENTRY' })
    expect(described['stack']).to.equal('    at query (queries.ts:1:2)')
    expect(JSON.stringify(described)).to.not.include('canary')
    const caused = new Error('outside', { cause: new Error('inside') })
    expect(describeError(caused)['cause']).to.include({ message: 'inside' })
  })
})

const run = promisify(execFile)
const LIMITS = new URL('../../../src/process/limits.ts', import.meta.url).href

/** Keeps 40 MiB alive and replaces them in small steps, as a busy process does. Prints the heap's peak. */
const BUSY = `
  const alive = Array.from({ length: 20_000 }, () => new Array(256).fill(0.5))
  globalThis.gc()
  let most = 0
  for (let step = 1; step <= 400_000; step++) {
    alive[(step * 7919) % alive.length] = new Array(256).fill(step + 0.5)
    if (step % 500 === 0) most = Math.max(most, process.memoryUsage().heapTotal)
  }
  console.log(most / 1024 / 1024)`

/** The output of a program. */
const printed = async (program: string): Promise<string> =>
  (await run(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program])).stdout.trim()

describe('the memory of a process', function () {
  this.timeout(60_000)

  // decision: Garbage is collected early
  it('holds little garbage beside what lives, and is no less for a heap that needs more', async () => {
    const keepSmall = `const { keepHeapSmall } = await import('${LIMITS}'); keepHeapSmall();`
    const [usual, small] = await Promise.all([printed(BUSY), printed(keepSmall + BUSY)])
    expect(Number(small), `${usual} MiB without it`).to.be.below(0.9 * Number(usual))
    const large = `const all = []; for (let i = 0; i < 2e5; i++) all.push(new Array(256).fill(i + 0.5)); console.log(all.length)`
    expect(await printed(keepSmall + large)).to.equal('200000')
  })
})

const log = createLog('test', 'silent')

describe('a process of the service', () => {
  it('logs what Node warns of as a line of JSON', async () => {
    const program = `
      const { runProcess } = await import('./src/process/run-process.ts')
      const { createLog } = await import('./src/deps/log.ts')
      runProcess(createLog('api', 'info'), async () => {
        process.emitWarning('this is old', 'DeprecationWarning', 'DEP0169')
        await new Promise(setImmediate)
      })`
    const args = ['--input-type=module', '--eval', program]
    const { stdout, stderr } = await run(process.execPath, args)
    expect(stderr).to.equal('')
    expect(JSON.parse(stdout)).to.include({ level: 'warn', service: 'api', msg: 'this is old' })
  })
})

describe('readiness', () => {
  it('is checked again after a second, also where the clock was set back', async () => {
    let isThere = true
    const readiness = createReadiness({ part: () => Promise.resolve(isThere) })
    const clock = mock.method(performance, 'now', () => 0)
    expect(await readiness.check()).to.include({ ready: true })
    isThere = false
    clock.mock.mockImplementation(() => 1_001)
    const later = await readiness.check()
    clock.mock.restore()
    expect(later).to.include({ ready: false })
  })
})

describe('waiting for a part at boot', () => {
  const LIMITS_MS = { limitMs: 300, tryLimitMs: 200 }
  const failureOf = (attempt: () => Promise<never>) =>
    waitFor('the database', log, attempt, LIMITS_MS).catch((error: unknown) => error as Error)

  it('gives up in time, naming the part and the last failure, also on a part that takes the call and never answers', async () => {
    const refusal = new Error('connection refused')
    const failure = await failureOf(() => Promise.reject(refusal))
    expect(failure.message).to.match(/^the database was not there for \d+ s$/)
    expect(failure.cause).to.equal(refusal)
    const silence = await failureOf(() => new Promise<never>(() => undefined))
    expect(silence.message).to.match(/^the database was not there/)
    expect(silence.cause).to.have.property('message', 'no answer within 200 ms')
  })
})

describe('the room of a worker', () => {
  it('is the full one with 1,000 files and more, or where the system does not say', () => {
    const room = { attempts: 320, tests: 40, idleConnections: 512 }
    for (const limit of [1_000, 1_024, 1_048_576, Infinity])
      expect(fitWorkerRoom(limit)).to.deep.equal({ room, warnings: [] })
  })

  // decision: No process fills its own file table
  it('never takes more files than there are, has a place for each kind of work, and is refused with what to do when the limit leaves none', () => {
    for (let limit = RESERVED_FILES + 16; limit < 1_000; limit++) {
      const { room, warnings } = fitWorkerRoom(limit)
      const { attempts, tests, idleConnections } = room
      expect(RESERVED_FILES + attempts + tests + idleConnections).to.be.at.most(limit)
      expect(Math.min(attempts, tests, idleConnections), String(limit)).to.be.at.least(1)
      expect(warnings).to.have.length(1)
    }
    expect(() => fitWorkerRoom(RESERVED_FILES + 15)).to.throw('needs at least 144: raise it (ulimit -n')
  })

  it('goes by the limit that the process has', async () => {
    const program = `import('./src/process/limits.ts').then(({ readFileLimit }) => console.log(readFileLimit()))`
    const command = [process.execPath, '--input-type=module', '-e', program]
    const { stdout } = await run('sh', ['-c', 'ulimit -n 321; exec "$0" "$@"', ...command])
    expect(stdout.trim()).to.equal('321')
  })
})
