// Also on MySQL with direct attempts: the server and its driver differ.
import { expect } from 'chai'
import Koa from 'koa'
import type { State } from '../../../../src/api/auth/caller.ts'
import { errorEnvelope } from '../../../../src/api/middleware/error-envelope.ts'
import { isAnswering, isWritable } from '../../../../src/db/connection/checks.ts'
import { connect, inTransaction, type Db, type SystemDb } from '../../../../src/db/connection/connection.ts'
import { databaseAdvice, isLockTimeout, isLost } from '../../../../src/db/connection/errors.ts'
import { inBatchTransaction, sql } from '../../../../src/db/connection/statements.ts'
import { createLog } from '../../../../src/deps/log.ts'
import type { Deps } from '../../../../src/deps/deps.ts'
import { launchDatabaseServer, type DatabaseServer } from '../../../support/database-server.ts'
import { askOnce } from '../../../support/loopback.ts'
import { whileOpen } from '../../../support/lock-waits.ts'
import { untilThere, untilSo } from '../../../support/poll.ts'
import { useDatabase } from '../../../support/database.ts'
import { words } from '../../../support/words.ts'

/** The error envelope that a client gets when `work` fails, and the number of the database's error. */
async function answerTo(work: () => Promise<unknown>) {
  let errno: number | undefined
  const app = new Koa<State>()
  app.use(errorEnvelope({ log: createLog('test', 'silent') } as Deps))
  app.use(async (ctx) => {
    await work().catch((error: unknown) => {
      errno = (error as { errno?: number }).errno
      throw error
    })
    ctx.body = {}
  })
  const response = await askOnce(app.callback())
  const { status, headers } = response
  const answer = { status, retryAfter: headers.get('retry-after'), body: await response.json() }
  return { errno, status, answer }
}

const connectionId = async (db: Db) =>
  (await db.select(db.raw('CONNECTION_ID() AS id')).first<{ id: number }>()).id

const AWAY = {
  status: 503,
  retryAfter: '5',
  body: { error: { code: 'SERVICE_UNAVAILABLE', message: 'The service is not available at the moment.' } },
}

describe('a database server that refuses to work', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let root: Db
  /** An account with rights on its database only, as the service has. It has one connection with a known id. */
  let db: Db
  const urlOf = (user: string) => server.url.replace(/\/\/.*@/, `//${user}:pass@`) + 'away'
  const poolOf = (user: string) => connect(urlOf(user), { poolSize: 1 })
  const createUser = async (user: string, limits = '') => {
    await root.raw(`CREATE USER '${user}'@'127.0.0.1' IDENTIFIED BY 'pass' ${limits}`)
    await root.raw(`GRANT ALL PRIVILEGES ON away.* TO '${user}'@'127.0.0.1'`)
  }
  before(async () => {
    server = await launchDatabaseServer(({ kind }) => [
      '--max-user-connections=100',
      kind === 'mysql' ? '--tls-version=' : '--skip-ssl',
    ])
    root = connect(`${server.url}mysql`)
    await root.raw('CREATE DATABASE away')
    await createUser('service')
    await createUser('limited', 'WITH MAX_USER_CONNECTIONS 1')
    await root.raw('CREATE TABLE away.things (id INT PRIMARY KEY)')
    await root.raw('CREATE TABLE away.workers (id VARCHAR(40) PRIMARY KEY)')
    await root.raw('INSERT INTO away.things VALUES (1)')
    db = poolOf('service')
  })
  after(async () => {
    await db.destroy()
    await root.destroy()
    await server.stop()
  })

  /** Ends the running query of the service with the given statement. */
  async function killWhileRunning(statement: 'KILL QUERY' | 'KILL') {
    const id = await connectionId(db)
    const running = answerTo(() => db.raw('SELECT id, SLEEP(60) FROM things'))
    const found = () =>
      root('information_schema.PROCESSLIST').where({ ID: id }).where('INFO', 'like', '%SLEEP%')
    await untilThere(found, 1, { what: 'the running query' })
    await root.raw(`${statement} ${id}`)
    return running
  }

  it('answers 503 when a query is interrupted', async () =>
    expect(await killWhileRunning('KILL QUERY')).to.deep.include({ answer: AWAY, errno: 1317 }))

  it('answers 503 when the connection is killed, and works again on a new one', async () => {
    const { answer } = await killWhileRunning('KILL')
    expect(answer).to.deep.equal(AWAY)
    expect(await answerTo(() => db.raw('SELECT 1'))).to.include({ status: 200 })
  })

  it('answers 503 when a statement takes too long', async () => {
    const [limit, errno] =
      server.kind === 'mysql' ? ['max_execution_time = 100', 3024] : ['max_statement_time = 0.1', 1969]
    await db.raw(`SET SESSION ${limit}`)
    const refused = await answerTo(() => db.raw('SELECT id FROM things WHERE SLEEP(60) = 0'))
    expect(refused).to.deep.include({ answer: AWAY, errno })
  })

  it('answers 503 when a table is full', async () => {
    await db.raw('SET SESSION max_heap_table_size = 16384')
    await db.raw('CREATE TABLE IF NOT EXISTS full (text CHAR(250)) ENGINE=MEMORY')
    const rows = Array.from({ length: 500 }, () => ({ text: 'x' }))
    expect(await answerTo(() => db('full').insert(rows))).to.deep.include({ answer: AWAY, errno: 1114 })
  })

  it('answers 503 when the connections of its account are used up', async () => {
    const [first, second] = [poolOf('limited'), poolOf('limited')]
    await first.raw('SELECT 1')
    expect(await answerTo(() => second.raw('SELECT 1'))).to.deep.include({ answer: AWAY, errno: 1226 })
    await Promise.all([first.destroy(), second.destroy()])
  })

  it('answers 503 when the connections of all accounts are limited and used up', async () => {
    await db.raw('SELECT 1')
    await root.raw('SET GLOBAL max_user_connections = 1')
    const second = poolOf('service')
    const refused = await answerTo(() => second.raw('SELECT 1'))
    await second.destroy()
    await root.raw('SET GLOBAL max_user_connections = 100')
    expect(refused).to.deep.include({ answer: AWAY, errno: 1203 })
  })

  // decision: Away
  it('answers 503 while it is read-only, and the pool opens new connections, as it must after a failover', async () => {
    const write = () => inTransaction(db, (trx) => trx('things').insert({ id: 2 }))
    const before = await connectionId(db)
    await root.raw('SET GLOBAL read_only = 1')
    const refused = await answerTo(write)
    await root.raw('SET GLOBAL read_only = 0')
    expect(refused).to.deep.include({ answer: AWAY, errno: 1290 })
    expect(await connectionId(db)).to.not.equal(before)
    expect(await answerTo(write)).to.include({ status: 200 })
  })

  // decision: A database that takes no writes
  it('says that it takes no writes, however it became read-only, and keeps no connection to it', async () => {
    const variables = {
      mariadb: ['read_only', 'tx_read_only'],
      mysql: ['read_only', 'super_read_only', 'transaction_read_only'],
    }
    for (const variable of variables[server.kind]) {
      await root.raw(`SET GLOBAL ${variable} = 1`)
      // The server decides at the session's start whether its transactions are read-only.
      const pool = poolOf('service')
      const before = await connectionId(pool)
      const whileReadOnly = await isWritable(pool)
      await root.raw(`SET GLOBAL ${variable === 'super_read_only' ? 'read_only' : variable} = 0`)
      const after = await connectionId(pool)
      const verdicts = [variable, whileReadOnly, before === after, await isWritable(pool)]
      await pool.destroy()
      expect(verdicts).to.deep.equal([variable, false, false, true])
    }
  })

  // decision: TLS to the database
  it('is refused before any password is sent where it has no TLS, and the message says what to do', async () => {
    const pool = connect(urlOf('service'), { tls: {} })
    const refused = await isAnswering(pool).catch((error: unknown) => error)
    await pool.destroy()
    expect(refused).to.have.property('code', 'HANDSHAKE_NO_SSL_SUPPORT')
    expect(databaseAdvice(refused)).to.include('DATABASE_TLS=off')
  })
})

// decision: Age of connections
describe('connections of the pool', () => {
  const database = useDatabase()
  const lock = (trx: Db) => trx('knex_migrations').where({ id: 1 }).forUpdate()

  // decision: READ COMMITTED
  it('all work alike on both servers: UTC, one SQL mode, READ COMMITTED', async () => {
    const [rows] = await database.db.raw<[{ Variable_name: string; Value: string }[]]>(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('time_zone', 'sql_mode', 'tx_isolation', 'transaction_isolation')",
    )
    const valueOf = (pattern: RegExp) =>
      rows?.find(({ Variable_name }) => pattern.test(Variable_name))?.Value ?? 'none'
    expect(valueOf(/^time_zone$/)).to.equal('+00:00')
    // The servers use different names for it, and some know both.
    expect(valueOf(/_isolation$/)).to.equal('READ-COMMITTED')
    expect(valueOf(/^sql_mode$/).split(',')).to.have.members(
      words(`ONLY_FULL_GROUP_BY STRICT_TRANS_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE
        ERROR_FOR_DIVISION_BY_ZERO NO_ENGINE_SUBSTITUTION`),
    )
  })

  it('are replaced when their time is over, however busy they are, and not before', async () => {
    const [short, long] = [30, 600_000].map((connectionLifetimeMs) =>
      connect(database.url, { poolSize: 1, connectionLifetimeMs }),
    ) as [SystemDb, SystemDb]
    const [first, kept] = [await connectionId(short), await connectionId(long)]
    await untilSo(async () => (await connectionId(short)) !== first, { what: 'another connection' })
    expect(await connectionId(long)).to.equal(kept)
    await Promise.all([short.destroy(), long.destroy()])
  })

  // decision: Transactions of a client that is gone
  it('of a client that is gone lock nothing for long, and those that idle in a pool work all the same', async () => {
    const newPool = () => connect(database.url, { poolSize: 1, idleS: 1 })
    const [gone, idle] = [newPool(), newPool()]
    const [open] = await Promise.all([gone.transaction(), idle.raw('SELECT 1')])
    await lock(open)
    expect(await inTransaction(database.db, lock)).to.have.length(1)
    expect(await isAnswering(idle)).to.equal(true)
    expect(await isAnswering(open).then(() => 'open', isLost)).to.equal(true)
    await open.rollback()
    await Promise.all([gone.destroy(), idle.destroy()])
  })

  // decision: Locks
  it('that take several statements at once wait in vain for a lock only once', async () => {
    let runs = 0
    const work = () =>
      inBatchTransaction(database.batchDb, (trx) => {
        runs += 1
        return trx.commit([sql`SELECT id FROM knex_migrations WHERE id = 1 FOR UPDATE`])
      })
    const end = await whileOpen(database.db, lock, () => work().catch(isLockTimeout))
    expect([end, runs]).to.deep.equal([true, 1])
  })
})
