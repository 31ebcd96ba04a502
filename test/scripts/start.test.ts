import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseEnv } from 'node:util'
import { expect } from 'chai'
import { execa } from 'execa'
import { seedDemo } from '../../scripts/demo/seed.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { freePorts } from '../../scripts/lib/ports.ts'
import { readMetric, untilReadinessIs } from '../support/running-parts.ts'
import { untilAtLeast } from '../support/poll.ts'
import { isAlive, useTemporaryDirectory, userEnvironment } from './support.ts'

type Start = { child: ChildProcess; lines: string[]; closed: Promise<number | null> }

describe('npm start', function () {
  this.timeout(120_000)
  const dir = useTemporaryDirectory('all tests')
  // The folder in which api, worker and command line look for files, below their working directory.
  const at = (file: string) => path.join(dir.path, '.data', file)
  const json = async (file: string) => JSON.parse(await readFile(at(file), 'utf8')) as Record<string, string>
  const listChildren = async () =>
    (await readFile(at('children.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; pid: number })
  const anyAlive = (processes: { pid: number }[]) => processes.some(({ pid }) => isAlive(pid))

  const started: ChildProcess[] = []
  after(async () => {
    for (const child of started.reverse()) {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  })
  /** Starts the demo with its own data. Waits for the line that says it is up, or for its end. */
  async function start(): Promise<Start> {
    const args = ['scripts/start.mjs', '--data', at('')]
    const env = userEnvironment()
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    started.push(child)
    const lines: string[] = []
    const closed = once(child, 'close').then(([code]) => code as number | null)
    const isUp = new Promise<void>((resolve) => {
      for (const input of [child.stdout, child.stderr])
        createInterface({ input }).on('line', (line) => {
          lines.push(line)
          if (line.startsWith('Ctrl-C')) resolve()
        })
    })
    await Promise.race([isUp, closed])
    return { child, lines, closed }
  }
  /** The demo that the tests share, because a start takes ten seconds of a core. */
  let demo: Start
  before(async () => void (demo = await start()))
  const valueOf = ({ lines }: Start, name: string) =>
    lines.map((line) => new RegExp(`^${name} +(\\S+)`).exec(line)?.[1]).find((value) => value !== undefined)!

  /** Calls the api of the demo. */
  async function call(key: string, method: string, route: string, sent?: object) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = sent && JSON.stringify(sent)
    const answer = await fetch(`${valueOf(demo, 'API')}${route}`, { method, headers, ...(body && { body }) })
    const { data, pagination } = (await answer.json()) as { data: { id: string }; pagination: object }
    return { status: answer.status, data, pagination }
  }
  /** The arguments with which npm runs a built program in `dir`. */
  const launched = (program: string, ...args: string[]): string[] => [
    path.join(ROOT, 'scripts/with-settings.mjs'),
    path.join(ROOT, 'dist', program),
    ...args,
  ]
  /** Runs the command line on the running service, as `npm run cli` does. */
  async function cli(...command: string[]): Promise<{ id: string; key: string }> {
    const options = { cwd: dir.path, env: userEnvironment(), extendEnv: false }
    const { stdout } = await execa(process.execPath, launched('cli.js', ...command, '--json'), options)
    return JSON.parse(stdout) as { id: string; key: string }
  }

  it('proves on an empty machine that signed events are delivered, also to an endpoint that fails at first', async () => {
    const text = demo.lines.join('\n')
    const line = '/healthy: success at attempt 1 (answered 200); signature verified by the receiver'
    expect(text).to.contain(line)
    expect(text).to.contain('/fails-twice: success at attempt 3 (answered 503, 503, 200); signature verified')
    const list = await call(valueOf(demo, 'Demo key'), 'GET', '/api-v1-webhooks')
    expect(list.pagination).to.include({ total: 5 })
    const ui = valueOf(demo, 'Temporal UI')
    expect((await fetch(ui)).status).to.equal(200)
    expect(text).to.match(new RegExp(`${ui}/namespaces/default/workflows/del_[0-9a-f-]{36}`))
    for (const file of ['secrets.env', 'service.env', 'demo.json'])
      expect((await stat(at(file))).mode & 0o777).to.equal(0o600)
  })

  it('shows a second start in the checkout the running one', async () => {
    const second = await start()
    expect(await second.closed).to.equal(0)
    expect(second.lines[0]).to.equal('Already running in this checkout.')
    expect(valueOf(second, 'API')).to.equal(valueOf(demo, 'API'))
  })

  it('makes another key for its company when the one that it remembers no longer works', async () => {
    const known = await json('demo.json')
    await writeFile(at('lost.json'), JSON.stringify({ ...known, key: `${known['key']!.slice(0, -1)}-` }))
    const env = { ...userEnvironment(), ...parseEnv(await readFile(at('service.env'), 'utf8')) }
    const receiverPort = Number(env['RECEIVER_PORT'])
    const made = await seedDemo({ file: at('lost.json'), apiUrl: valueOf(demo, 'API'), receiverPort, env })
    const { companyId, webhooks } = known
    expect(made).to.deep.include({ companyId, webhooks }).and.not.to.include({ key: known['key'] })
    expect((await call(made.key, 'GET', '/api-v1-webhooks')).status).to.equal(200)
  })

  // decision: The demo receiver knows every secret
  it('verifies what a newcomer’s webhook sends, shares the work with a second worker, and lets the key of the README read what it writes', async () => {
    const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8')
    const scopes = /--scopes (\S+)/.exec(readme)?.[1] ?? ''
    const { id: company } = await cli('company', 'create', '--name', 'Newcomer')
    const { key } = await cli('key', 'create', '--company', company, '--name', 'first', '--scopes', scopes)
    const make = async (route: string, body: object) => {
      const { status, data } = await call(key, 'POST', route, body)
      const read = await call(key, 'GET', `${route}/${data.id}`)
      expect([status, read.status], route).to.deep.equal([201, 200])
    }
    const answers = { '/mine': 200, '/status/502': 502 }
    for (const name of Object.keys(answers)) {
      const url = `${valueOf(demo, 'Receiver')}${name}`
      await make('/api-v1-webhooks', { name, url, events: ['contact.created'], max_retries: 1 })
    }

    // A second worker, as `npm run start:worker` starts it.
    const [port = 0] = await freePorts([0])
    const env = { ...userEnvironment(), WORKER_PORT: String(port) }
    const worker = spawn(process.execPath, launched('worker.js'), { cwd: dir.path, env, stdio: 'ignore' })
    started.push(worker)
    const second = { url: `http://127.0.0.1:${port}` }
    await untilReadinessIs(second, 200, { withinMs: 60_000 })
    const attemptsOfSecond = () => readMetric(second, 'webhook_attempts_total')
    let published = 0
    do await make('/api-v1-contacts', { name: 'Ada Lovelace' })
    while (++published < 200 && (await attemptsOfSecond()) === 0)
    expect(await attemptsOfSecond()).to.be.above(0)
    for (const [route, status] of Object.entries(answers)) {
      const arrived = () => demo.lines.filter((line) => line.startsWith(`[receiver] ${route} `))
      await untilAtLeast(() => arrived().length, published, { withinMs: 30_000, what: route })
      const seen = `contact.created · evt_\\S+ · signature verified · answered ${status}`
      for (const line of arrived()) expect(line).to.match(new RegExp(`^\\[receiver\\] ${route} · ${seen}$`))
    }
    worker.kill('SIGTERM')
    expect((await once(worker, 'exit'))[0]).to.equal(0)
  })

  it('ends what a killed start left behind, has its data and key again, and ends everything at Ctrl-C', async () => {
    const left = await listChildren()
    demo.child.kill('SIGKILL')
    await once(demo.child, 'exit')
    expect(anyAlive(left)).to.equal(true)

    const next = await start()
    const [said, names = ''] = next.lines[0]!.split(': ')
    expect(said).to.equal('Ended what an earlier start left behind')
    // The receiver may have ended by itself, because its output has no reader.
    expect(names.split(', ')).to.include.members(['worker', 'api', 'database', 'temporal'])
    expect(anyAlive(left)).to.equal(false)
    expect(valueOf(next, 'Demo key')).to.equal(valueOf(demo, 'Demo key'))

    const processes = await listChildren()
    next.child.kill('SIGINT')
    expect(await next.closed).to.equal(130)
    expect(anyAlive(processes)).to.equal(false)
    expect(existsSync(at('service.env'))).to.equal(false)
  })
})
