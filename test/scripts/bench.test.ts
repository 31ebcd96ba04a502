// Only in .ci/run: the benchmark measures for more than a minute.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseEnv } from 'node:util'
import { expect } from 'chai'
import { execa } from 'execa'
import { PAST_WEBHOOKS } from '../../scripts/demo/history-plan.ts'
import { PATHS } from '../../scripts/demo/seed.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { processIdentity } from '../../scripts/lib/processes.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { useTemporaryDirectory, userEnvironment } from './support.ts'

type Figure = { topic: string; what: string; lost?: number; duplicates?: number }
type Results = Record<string, { figures: Figure[]; peaks: Record<string, number> }>

/** A quick run ends itself after 88 s, and then gives its processes time to stop. */
const LONGEST_MS = 180_000

const OPTIONS = { cwd: ROOT, timeout: LONGEST_MS, reject: false } as const
const bench = (...args: string[]) => execa(process.execPath, ['bench/main.ts', '--quick', ...args], OPTIONS)

/** The figures in the file that a run wrote, of which none may have lost anything or come twice. */
async function figuresIn(file: string): Promise<Results> {
  const results = JSON.parse(await readFile(file, 'utf8')) as Results
  const figures = Object.values(results).flatMap((result) => result.figures)
  const counted = figures.filter(({ lost }) => lost !== undefined)
  expect(counted).not.to.deep.equal([])
  expect(counted.filter(({ lost, duplicates = 0 }) => lost !== 0 || duplicates !== 0)).to.deep.equal([])
  return results
}

describe('npm run bench -- --quick', function () {
  this.timeout(LONGEST_MS)
  const dir = useTemporaryDirectory()
  const file = () => path.join(dir.path, 'bench.json')

  it('accepts and delivers without loss or duplicate, at ratios that hold on any machine', async () => {
    const { exitCode, stderr } = await bench('--json', file())
    expect([exitCode, stderr]).to.deep.equal([0, ''])
    expect(await figuresIn(file())).to.include.keys('accept', 'deliver', 'floors')
  })

  it('with --running says what to do when nothing runs, or what started is not up yet', async () => {
    const running = () => bench('--running', '--data', dir.path)
    expect((await running()).stderr).to.match(/No service runs in this checkout: run "npm start"/)
    const lock = { owner: processIdentity(process.pid) }
    await writeFile(path.join(dir.path, 'start.lock'), JSON.stringify(lock))
    expect((await running()).stderr).to.include('still starting')
  })
})

describe('npm run bench -- --running, with a service', function () {
  this.timeout(LONGEST_MS)
  const dir = useTemporaryDirectory('all tests')
  let service: ChildProcess
  before(async () => {
    const args = ['scripts/start.mjs', '--data', dir.path]
    const env = userEnvironment()
    service = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface({ input: service.stdout! })) if (line.startsWith('Ctrl-C')) break
    service.stdout!.resume()
  })
  after(async () => {
    service.kill('SIGTERM')
    if (service.exitCode === null) await once(service, 'exit')
  })

  it('loses nothing, and leaves the service as it found it: no webhook of its own, no key that works', async () => {
    const file = path.join(dir.path, 'bench.json')
    const measured = await bench('--running', '--data', dir.path, '--only', 'accept', '--json', file)
    expect(measured.stderr).to.equal('')
    expect(measured.stdout).to.include('the lane "workflow"')
    expect((await figuresIn(file))['accept']?.peaks).to.have.keys('api', 'worker', 'database', 'temporal')

    const settings = parseEnv(await readFile(path.join(dir.path, 'service.env'), 'utf8'))
    const db = connect(settings['DATABASE_URL'] ?? '')
    const ours = await db('companies').where({ name: 'Benchmark' }).pluck<string[]>('id')
    const find = (table: string, where: object) => db(table).whereIn('company_id', ours).where(where)
    expect(await find('webhooks', {})).not.to.deep.equal([])
    expect(await find('webhooks', { deleted_at: null })).to.deep.equal([])
    expect(await find('api_keys', { revoked_at: null })).to.deep.equal([])
    const others = db('webhooks').whereNotIn('company_id', ours).where({ deleted_at: null, is_active: 1 })
    expect(await others).to.have.length(Object.keys({ ...PATHS, ...PAST_WEBHOOKS }).length)
    await db.destroy()
    expect(service.exitCode).to.equal(null)
  })
})
