// Only in .ci/run: a service starts and is measured for most of a minute.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseEnv, promisify } from 'node:util'
import { expect } from 'chai'
import { PAST_WEBHOOKS } from '../../scripts/demo/history-plan.mjs'
import { PATHS } from '../../scripts/demo/seed.mjs'
import { readPlan } from '../../bench/throughput/plan.ts'
import * as needs from '../../bench/throughput/requirements.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { processIdentity } from '../../scripts/lib/process-identity.mjs'
import { connect } from '../../src/db/connection/connection.ts'
import { useTemporaryDirectory } from './support.ts'

type Figure = { topic: string; what: string; lane?: string; lost?: number; duplicates?: number }
type Results = Record<string, { figures: Figure[]; peaks: Record<string, number> }>

const LONGEST_MS = 180_000

/** Runs the benchmark on the service that keeps its data in `dir`. */
async function bench(dir: string, ...more: string[]): Promise<{ stdout: string; stderr: string }> {
  const args = ['bench/main.ts', '--running', '--quick', '--data', dir, ...more]
  return promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: LONGEST_MS }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  )
}

describe('npm run bench -- --running', () => {
  const dir = useTemporaryDirectory()

  it('says what to do when nothing runs, or what started is not up yet', async () => {
    const nothing = await bench(dir.path)
    expect(nothing.stderr).to.match(/No service runs in this checkout: run "npm start"/)
    const lock = { owner: processIdentity(process.pid) }
    await writeFile(path.join(dir.path, 'start.lock'), JSON.stringify(lock))
    expect((await bench(dir.path)).stderr).to.include('still starting')
  })

  it('measures what neither stops the worker nor empties a table, and writes no figures into the documents', () => {
    expect(readPlan(['--running']).topics).to.deep.equal(['accept', 'deliver'])
    expect(readPlan(['--running', '--quick']).topics).to.deep.equal(['accept', 'deliver'])
    expect(() => readPlan(['--running', '--only', 'growth'])).to.throw('no topic growth with --running')
    expect(() => readPlan(['--running', '--write'])).to.throw('leave --running out')
  })

  it('finds a port that webhooks may reach, and names the setting where there is none', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const taken = (server.address() as AddressInfo).port
    const [free = 0] = await freePorts([0])
    const find = (networks?: string) => needs.findReceiverPort({ WEBHOOK_ALLOWED_NETWORKS: networks })
    expect(await find(`10.0.0.0/8,127.0.0.1/32:${taken},127.0.0.1/32:${free}`)).to.equal(free)
    expect(await find('127.0.0.0/8')).to.be.above(0)
    for (const networks of [undefined, '10.0.0.0/8', `127.0.0.1/32:${taken}`])
      expect(await messageOf(find(networks))).to.match(/add .*WEBHOOK_ALLOWED_NETWORKS/)
    server.close()
  })

  it('names the setting that keeps a service from being measured', async () => {
    const { certFile } = await needs.receiverCertificate({}, dir.path).catch(() => ({ certFile: '' }))
    expect(certFile, 'nothing is trusted without WEBHOOK_CA_FILE').to.equal('')
    const trusted = path.join(dir.path, 'cert.pem')
    expect(await needs.receiverCertificate({ WEBHOOK_CA_FILE: trusted }, dir.path)).to.have.property(
      'certFile',
      trusted,
    )
    const other = path.join(dir.path, 'other.pem')
    await writeFile(other, '')
    expect(await messageOf(needs.receiverCertificate({ WEBHOOK_CA_FILE: other }, dir.path))).to.include(
      'WEBHOOK_CA_FILE',
    )
    expect(() => needs.requirePlainApi('https://127.0.0.1:3000')).to.throw('TLS_CERT_FILE')
    expect(needs.keysNeeded({})).to.equal(2)
    expect(needs.keysNeeded({ RATE_LIMIT_PER_MINUTE: '0' })).to.equal(1)
    expect(() => needs.keysNeeded({ RATE_LIMIT_PER_MINUTE: '60' })).to.throw(
      'RATE_LIMIT_PER_MINUTE to 1200 or more',
    )
  })
})

describe('npm run bench -- --running, with a service', function () {
  this.timeout(LONGEST_MS)
  const dir = useTemporaryDirectory('all tests')
  let service: ChildProcess
  before(async () => {
    const env = { ...process.env }
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'])
      Reflect.deleteProperty(env, name)
    const args = ['scripts/start.mjs', '--data', dir.path]
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
    const { stdout, stderr } = await bench(dir.path, '--json', file)
    expect(stderr).to.equal('')
    expect(stdout).to.include('The worker of the service was running while the events were accepted.')
    expect(stdout).to.include('the lane "workflow"')
    const results = JSON.parse(await readFile(file, 'utf8')) as Results
    const figures = Object.values(results).flatMap((result) => result.figures)
    expect(new Set(figures.map(({ topic }) => topic))).to.deep.equal(new Set(['accept', 'deliver']))
    expect(figures.filter(({ lost, duplicates = 0 }) => lost !== 0 || duplicates !== 0)).to.deep.equal([])
    expect(results['accept']?.peaks).to.have.keys('api', 'worker', 'database', 'temporal')

    const settings = parseEnv(await readFile(path.join(dir.path, 'service.env'), 'utf8'))
    const db = connect(settings['DATABASE_URL'] ?? '')
    const ours = await db('companies').where({ name: 'Benchmark' }).pluck<string[]>('id')
    const find = (table: string, where: object) => db(table).whereIn('company_id', ours).where(where)
    expect(await find('webhooks', {})).not.to.deep.equal([])
    expect(await find('webhooks', { deleted_at: null })).to.deep.equal([])
    expect(await find('api_keys', { revoked_at: null })).to.deep.equal([])
    const others = await db('webhooks')
      .whereNotIn('company_id', ours)
      .where({ deleted_at: null, is_active: 1 })
    expect(others).to.have.length(Object.keys({ ...PATHS, ...PAST_WEBHOOKS }).length)
    await db.destroy()
    expect(service.exitCode).to.equal(null)
  })
})

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it worked',
    (error: unknown) => (error as Error).message,
  )
