import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { until } from '../support/poll.ts'
import { isAlive, useTemporaryDirectory } from './support.ts'

type SecondWorker = {
  readonly child: ChildProcess
  output(): string
  /** Attempts it has made so far. */
  attempts(): Promise<number>
}

type Start = {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly closed: Promise<number | null>
}

describe('npm start', function () {
  this.timeout(120_000)
  const dir = useTemporaryDirectory('all tests')
  // The name that api, worker and command line look for where they run.
  const at = (file: string) => path.join(dir.path, '.data', file)
  const json = async (file: string) => JSON.parse(await readFile(at(file), 'utf8')) as Record<string, unknown>
  const children = async () =>
    (await readFile(at('children.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; pid: number })
  const anyAlive = (processes: { pid: number }[]) => processes.some(({ pid }) => isAlive(pid))
  const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null
  const end = async (children: ChildProcess[]) => {
    for (const child of children.splice(0).reverse()) {
      child.kill('SIGTERM')
      if (!hasEnded(child)) await once(child, 'exit')
    }
  }
  const workers: ChildProcess[] = []
  afterEach(() => end(workers))
  const starts: Start[] = []
  after(() => end(starts.map(({ child }) => child)))

  /** Our environment without the servers that the tests have. */
  function userEnvironment() {
    const env = { ...process.env }
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'])
      Reflect.deleteProperty(env, name)
    return env
  }
  /** Starts the demo with data of its own and waits for the line that says it is up, or for its end. */
  async function start(): Promise<Start> {
    const env = userEnvironment()
    const args = ['scripts/start.mjs', '--data', at('')]
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    const closed = once(child, 'close').then(([code]) => code as number | null)
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    const reader = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    const start = { child, lines, closed }
    starts.push(start)
    while (
      !lines.some((line) => line.startsWith('Ctrl-C')) &&
      (await Promise.race([once(reader, 'line'), closed]))
    ) {
      if (child.exitCode !== null) break
    }
    return start
  }
  /** The demo that an earlier test left running, or a new start: each of them takes ten seconds of a core. */
  const running = async (): Promise<Start> => starts.find(({ child }) => !hasEnded(child)) ?? (await start())
  /** The arguments with which npm runs a built program, and the folder where it does so. */
  const launched = (program: string, ...args: string[]): [string[], { cwd: string }] => [
    [path.join(ROOT, 'scripts', 'with-settings.mjs'), path.join(ROOT, 'dist', program), ...args],
    { cwd: dir.path },
  ]
  /** The command line on the running service, as `npm run cli` finds it. */
  async function cli(...command: string[]): Promise<{ id: string; key: string }> {
    const [args, options] = launched('cli.js', ...command, '--json')
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      ...options,
      env: userEnvironment(),
    })
    return JSON.parse(stdout) as { id: string; key: string }
  }
  /** A further worker beside the running ones, as `npm run start:worker` starts it. */
  async function startWorker(settings: Record<string, string> = {}): Promise<SecondWorker> {
    const [port = 0] = await freePorts([0])
    const [args, options] = launched('worker.js')
    const env = { ...userEnvironment(), WORKER_PORT: String(port), ...settings }
    const child = spawn(process.execPath, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] })
    workers.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const url = `http://127.0.0.1:${port}`
    await until(
      () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok || child.exitCode !== null,
          () => false,
        ),
      (isReady) => isReady,
      { withinMs: 60_000 },
    )
    return {
      child,
      output: () => output,
      attempts: async () => {
        const text = await (await fetch(`${url}/metrics`)).text()
        const counts = [...text.matchAll(/^webhook_attempts_total\{[^}]*\} (\d+)$/gm)]
        return counts.reduce((sum, [, count]) => sum + Number(count), 0)
      },
    }
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
    expect(await list.json()).to.have.nested.property('pagination.total', 5)
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

  // decision: The demo receiver knows every secret
  it('verifies what a newcomer’s webhook sends, shares the work with a second worker, and lets the key of the README read what it writes', async () => {
    const demo = await running()
    const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8')
    const scopes = /--scopes (\S+)/.exec(readme)?.[1] ?? ''
    const { id: company } = await cli('company', 'create', '--name', 'Newcomer')
    const { key } = await cli('key', 'create', '--company', company, '--name', 'first', '--scopes', scopes)
    const call = async (method: string, route: string, body?: object) => {
      const response = await fetch(`${valueOf(demo, 'API')}${route}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, data: ((await response.json()) as { data: { id: string } }).data }
    }
    const receiver = valueOf(demo, 'Receiver')
    for (const route of ['/mine', '/status/503']) {
      const webhook = { name: route, url: `${receiver}${route}`, events: ['contact.created'], max_retries: 1 }
      const { status, data } = await call('POST', '/api-v1-webhooks', webhook)
      expect([status, (await call('GET', `/api-v1-webhooks/${data.id}`)).status]).to.deep.equal([201, 200])
    }

    const second = await startWorker()
    let published = 0
    do {
      const { status, data } = await call('POST', '/api-v1-contacts', { name: 'Ada Lovelace' })
      expect([status, (await call('GET', `/api-v1-contacts/${data.id}`)).status]).to.deep.equal([201, 200])
    } while (++published < 200 && (await second.attempts()) === 0)
    expect(await second.attempts()).to.be.above(0)
    const arrived = (route: string) => demo.lines.filter((line) => line.startsWith(`[receiver] ${route} `))
    for (const [route, status] of [
      ['/mine', 200],
      ['/status/503', 503],
    ] as const) {
      const lines = await until(
        () => Promise.resolve(arrived(route)),
        ({ length }) => length >= published,
        { withinMs: 30_000 },
      )
      for (const line of lines)
        expect(line).to.match(
          new RegExp(
            `^\\[receiver\\] ${route} · contact.created · evt_\\S+ · signature verified · answered ${status}$`,
          ),
        )
    }
    expect(second.output()).not.to.match(/"level":"(warn|error|fatal)".*differ/)
    second.child.kill('SIGTERM')
    expect((await once(second.child, 'exit'))[0]).to.equal(0)

    const other = await startWorker({ WEBHOOK_RETRY_SCHEDULE: '7s' })
    expect(other.output()).to.include('other live workers differ from this one in WEBHOOK_RETRY_SCHEDULE')
  })

  it('ends what a killed start left behind, and makes a key when the one it remembers no longer works', async () => {
    const killed = await running()
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
})
