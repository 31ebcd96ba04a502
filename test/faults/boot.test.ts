import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { untilIncludes } from '../support/poll.ts'
import { startProcess, type RunningProcess } from '../support/processes.ts'
import { untilReadinessIs } from '../support/running-parts.ts'
import { useTcpProxies } from '../support/tcp-proxy.ts'
import { useStack } from '../support/use-stack.ts'

/** A process that ends at boot takes a few seconds. The test kills a process that runs longer, and its exit code is then null. */
const ENDS_WITHIN_MS = 30_000

/** Starts a process without waiting until it is ready. Returns its exit code and all of its output. */
async function endOf(kind: 'server' | 'worker', environment: Record<string, string>) {
  const running = await startProcess(kind, environment, { waitUntilReady: false })
  const limit = setTimeout(() => running.kill('SIGKILL'), ENDS_WITHIN_MS)
  const code = await running.exited
  clearTimeout(limit)
  return { code, lines: running.output().trim().split('\n') }
}

/** Waits until such a process is ready. */
const becomesReady = (running: RunningProcess) => untilReadinessIs(running, 200, { withinMs: 30_000 })

/** Both processes wait and end by the same code in src/process, so most tests start only one of them. */
describe('a process that starts', function () {
  this.timeout(120_000)
  const use = useStack({ workers: 0, mayLogErrors: true })
  const createProxy = useTcpProxies()

  it('names every fault of its configuration and exits 2', async () => {
    const { code, lines } = await endOf('server', {
      DATABASE_URL: 'postgres://nowhere',
      SECRETS_KEYS: 'k1:short',
      WEBHOOK_TIMEOUT: 'soon',
      RETENTION_DAYS: '0',
    })
    expect(code).to.equal(2)
    for (const name of ['DATABASE_URL', 'SECRETS_KEYS', 'WEBHOOK_TIMEOUT', 'RETENTION_DAYS']) {
      const naming = lines.filter((line) => line.includes(name))
      expect(naming, name).to.have.length(1)
    }
    expect(lines).to.have.length(5)
    expect(lines.join()).to.not.include('k1:short')
  })

  // decision: A stop while a process waits for its parts
  it('ends at once when it is told to stop while it waits for its parts', async () => {
    const { environment } = use.stack
    const proxy = await createProxy(environment['DATABASE_URL']!)
    proxy.stall()
    const stalled = { ...environment, DATABASE_URL: proxy.through(environment['DATABASE_URL']!) }
    const running = await startProcess('server', stalled, { waitUntilReady: false })
    await untilIncludes(() => running.output(), 'the database is not there yet', { withinMs: 30_000 })
    expect(await running.stop('SIGTERM')).to.equal(0)
    expect(running.output()).to.include('stopped before it was ready').and.not.include('was not there for')
  })

  it('waits for Temporal that refuses connections and the database that hangs, and is ready once both are there', async () => {
    const { environment } = use.stack
    const temporal = await createProxy(environment['TEMPORAL_ADDRESS']!)
    const database = await createProxy(environment['DATABASE_URL']!)
    await temporal.refuse()
    database.stall()
    const running = await startProcess(
      'worker',
      {
        ...environment,
        TEMPORAL_ADDRESS: temporal.address,
        DATABASE_URL: database.through(environment['DATABASE_URL']!),
      },
      { waitUntilReady: false },
    )
    try {
      for (const [part, proxy] of [
        ['Temporal', temporal],
        ['the database', database],
      ] as const) {
        await untilIncludes(() => running.output(), `${part} is not there yet`, { withinMs: 30_000 })
        await proxy.pass()
      }
      await becomesReady(running)
    } finally {
      await running.stop()
    }
  })

  // decision: Newest migration
  it('waits for the newest migration and names the command that applies it; newer ones do not matter', async () => {
    const { db, environment } = use.stack
    const [newest] = await db('knex_migrations').orderBy('id', 'desc').limit(1)
    await db('knex_migrations').where({ id: newest.id }).delete()
    const running = await startProcess('server', environment, { waitUntilReady: false })
    try {
      await untilIncludes(() => running.output(), 'npm run cli -- migrate', { withinMs: 30_000 })
      expect(running.output()).to.include(`the database lacks ${newest.name}`)
      await db('knex_migrations').insert([newest, { ...newest, id: 9_999, name: '999-of-a-newer-version' }])
      await becomesReady(running)
      await db('knex_migrations').where({ id: newest.id }).delete()
      const { parts } = await untilReadinessIs(running, 503)
      expect(parts).to.include({ migrations: false, database: true })
    } finally {
      await running.stop()
      await db('knex_migrations').where({ id: 9_999 }).delete()
      await db('knex_migrations').insert(newest).onConflict('id').ignore()
    }
  })

  it('warns of a database that loses commits when its machine crashes', async () => {
    const [[row]] = (await use.stack.db.raw('SELECT @@GLOBAL.innodb_flush_log_at_trx_commit AS setting')) as [
      { setting: number }[],
    ]
    const isWarned = use.stack.api
      .output()
      .includes('innodb_flush_log_at_trx_commit of the database is not 1')
    expect(isWarned).to.equal(Number(row?.setting) !== 1)
  })

  it('exits 1 with one clear line when SECRETS_KEYS has other bytes under a known id', async () => {
    const wrong = `k1:${randomBytes(32).toString('base64')}`
    const { code, lines } = await endOf('worker', { ...use.stack.environment, SECRETS_KEYS: wrong })
    expect(code).to.equal(1)
    expect(lines.filter((line) => /"level":"(?:error|fatal)"/.test(line))).to.have.length(1)
    expect(lines.at(-1)).to.include('SECRETS_KEYS: the key \\"k1\\" is not the one')
    expect(lines.join()).to.not.include(wrong.slice(3))
  })

  it('exits 1 with one clear line when it cannot listen', async () => {
    // 192.0.2.0/24 is for documentation (RFC 5737), so no machine can listen on its addresses.
    const unusable = { HOST: '192.0.2.1', TRUSTED_PROXIES: '127.0.0.1/32' }
    const { code, lines } = await endOf('server', { ...use.stack.environment, ...unusable })
    expect(code).to.equal(1)
    const fatal = lines.filter((line) => line.includes('"level":"fatal"'))
    expect(fatal).to.have.length(1)
    expect(fatal[0]).to.include('EADDRNOTAVAIL')
  })
})
