import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { isAlive } from './support.js'

type Start = {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly closed: Promise<number | null>
}

describe('npm start', function () {
  this.timeout(120_000)
  let dir: string
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'start test '))
  })
  after(() => rm(dir, { recursive: true, force: true }))
  const at = (file: string) => path.join(dir, file)
  const json = async (file: string) => JSON.parse(await readFile(at(file), 'utf8')) as Record<string, unknown>
  const children = async () =>
    (await readFile(at('children.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; pid: number })
  const anyAlive = (processes: { pid: number }[]) => processes.some(({ pid }) => isAlive(pid))
  const started: ChildProcess[] = []
  afterEach(async () => {
    for (const child of started.splice(0)) {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  })

  /** Starts the demo with data of its own and waits for the line that says it is up, or for its end. */
  async function start(): Promise<Start> {
    const env = { ...process.env }
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'])
      Reflect.deleteProperty(env, name)
    const args = ['scripts/start.mjs', '--data', at('')]
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    const lines: string[] = []
    const closed = once(child, 'close').then(([code]) => code as number | null)
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    while (
      !lines.some((line) => line.startsWith('Ctrl-C')) &&
      (await Promise.race([once(reader, 'line'), closed]))
    ) {
      if (child.exitCode !== null) break
    }
    return { child, lines, closed }
  }
  /** The command line on the running service, as `npm run cli` finds it. */
  async function cli(...args: string[]): Promise<{ id: string; key: string }> {
    const command = [`--env-file=${at('service.env')}`, 'dist/cli.js', ...args, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ROOT })
    return JSON.parse(stdout) as { id: string; key: string }
  }
  const valueOf = ({ lines }: Start, name: string) =>
    lines.map((line) => new RegExp(`^${name} +(\\S+)`).exec(line)?.[1]).find((value) => value !== undefined)

  it('proves on an empty machine that signed events are delivered, also to an endpoint that fails at first', async () => {
    const demo = await start()
    const text = demo.lines.join('\n')
    expect(text).to.contain(
      '/healthy: success at attempt 1 (answered 200); signature verified by the receiver',
    )
    expect(text).to.contain('/fails-twice: success at attempt 3 (answered 503, 503, 200); signature verified')
    const [api, ui, key] = ['API', 'Temporal UI', 'Demo key'].map((name) => valueOf(demo, name))
    const list = await fetch(`${api}/api-v1-webhooks`, { headers: { authorization: `Bearer ${key}` } })
    expect(await list.json()).to.have.nested.property('pagination.total', 2)
    expect((await fetch(ui!)).status).to.equal(200)
    expect(text).to.match(new RegExp(`${ui}/namespaces/default/workflows/del_[0-9a-f-]{36}`))
    for (const file of ['secrets.env', 'service.env', 'demo.json'])
      expect((await stat(at(file))).mode & 0o777).to.equal(0o600)

    const processes = await children()
    demo.child.kill('SIGINT')
    expect(await demo.closed).to.equal(130)
    expect(anyAlive(processes)).to.equal(false)
    expect(existsSync(at('service.env'))).to.equal(false)
  })

  it('is up again soon with the same key, shows a second start the running one, and opens to the command line', async () => {
    const { key } = await json('demo.json')
    const startedAt = performance.now()
    const first = await start()
    expect(performance.now() - startedAt).to.be.below(30_000)
    expect(valueOf(first, 'Demo key')).to.equal(key)
    const second = await start()
    expect(await second.closed).to.equal(0)
    expect(second.lines[0]).to.equal('Already running in this checkout.')
    expect(valueOf(second, 'API')).to.equal(valueOf(first, 'API'))

    const { id } = await cli('company', 'create', '--name', 'Acme')
    const made = await cli('key', 'create', '--company', id, '--name', 'first', '--scopes', 'read:webhooks')
    const answer = await fetch(`${valueOf(first, 'API')}/api-v1-webhooks`, {
      headers: { authorization: `Bearer ${made.key}` },
    })
    expect(answer.status).to.equal(200)
  })

  it('ends what a killed start left behind, and makes a key when the one it remembers no longer works', async () => {
    const killed = await start()
    const left = await children()
    killed.child.kill('SIGKILL')
    await once(killed.child, 'exit')
    expect(anyAlive(left)).to.equal(true)
    const { key, ...rest } = await json('demo.json')
    await writeFile(at('demo.json'), JSON.stringify({ ...rest, key: `${String(key).slice(0, -1)}-` }))

    const next = await start()
    expect(next.lines[0]).to.match(
      /^Ended what an earlier start left behind: worker, api, receiver, (database, temporal|temporal, database)$/,
    )
    expect(anyAlive(left)).to.equal(false)
    expect(valueOf(next, 'Demo key')).to.be.a('string').and.not.to.equal(key)
  })

  it('ends everything with a clear line and exit code 1 when a part dies', async () => {
    const demo = await start()
    const processes = await children()
    process.kill(processes.find(({ name }) => name === 'worker')!.pid, 'SIGKILL')
    expect(await demo.closed).to.equal(1)
    expect(demo.lines.join('\n')).to.contain(
      'worker ended by itself (signal SIGKILL), so everything is stopped',
    )
    expect(anyAlive(processes)).to.equal(false)
  })
})
