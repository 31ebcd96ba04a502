import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { findDatabase, findMysql } from './database/find.mjs'
import { launchDatabase } from './database/launch.mjs'
import { createContext } from './find.mjs'
import { freePorts } from './ports.mjs'
import { findTemporal } from './temporal/find.mjs'
import { launchTemporal } from './temporal/launch.mjs'

/** @returns {NodeJS.ProcessEnv} ours without the user's own database, which no test may touch */
export function testEnvironment() {
  const env = { ...process.env }
  delete env.DATABASE_URL
  return env
}

/**
 * Launches a throw-away database for the tests, or takes the one that the user names: TEST_DATABASE_URL, an
 * administrator's URL. DATABASE_URL is never taken, because tests create and drop databases.
 *
 * @param {object} options
 * @param {import('./supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.dir for all its files
 * @param {(detail: string) => void} options.onUpdate
 * @param {import('./database/find.mjs').FoundDatabase} [options.found] by default what is found first
 * @returns {Promise<Record<'TEST_DATABASE_URL', string>>} what tests read
 */
async function launchTestDatabase({ supervisor, dir, onUpdate, found }) {
  const env = testEnvironment()
  if (found === undefined && env.TEST_DATABASE_URL) return { TEST_DATABASE_URL: env.TEST_DATABASE_URL }
  const server = found ?? (await findDatabase(createContext({ env, onUpdate })))
  if (server.kind === 'url') return { TEST_DATABASE_URL: server.url }
  const [port] = await freePorts([0])
  const url = await launchDatabase({
    supervisor,
    found: server,
    dir: path.join(dir, 'database'),
    port,
    password: randomBytes(16).toString('hex'),
    isDurable: false,
    logFile: path.join(dir, 'database.log'),
    env,
  })
  return { TEST_DATABASE_URL: `${url}mysql` }
}

/**
 * The servers of a test run. A database is launched when it is first asked for. Every suite has a Temporal server of its
 * own, which carries the namespaces of that suite only, and whose trouble ends that suite alone.
 *
 * @param {object} options
 * @param {import('./supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.dir for all their files
 * @param {Pick<ReturnType<typeof import('./progress.mjs').createProgress>, 'step'>} options.progress
 */
export function createTestServers({ supervisor, dir, progress }) {
  let launched = 0
  /** @type {Promise<import('./temporal/find.mjs').FoundTemporal> | undefined} */
  let found
  const find = () =>
    (found ??= progress.step('looking for Temporal', {}, (onUpdate) =>
      findTemporal(createContext({ env: testEnvironment(), onUpdate })),
    ))
  /** @param {string} title @param {import('./database/find.mjs').FoundDatabase} [server] */
  const start = async (title, server) => {
    const database = progress.step(title, {}, (onUpdate) =>
      launchTestDatabase({ supervisor, dir: path.join(dir, title), onUpdate, found: server }),
    )
    // Building Temporal takes minutes on a new machine: no suite may begin before it is there.
    const [env] = await Promise.all([database, find()])
    return env
  }

  /**
   * Launches a throw-away Temporal server for the time of some work, or takes the one that TEMPORAL_ADDRESS names.
   *
   * @template T
   * @param {(env: Record<string, string>, answers: () => Promise<boolean>) => Promise<T>} work gets what tests read,
   *   and a function that tells whether the server still answers
   * @returns {Promise<T>}
   */
  async function withTemporal(work) {
    const env = testEnvironment()
    const named = { TEMPORAL_NAMESPACE: env.TEMPORAL_NAMESPACE ?? 'default' }
    const server = await find()
    if (server.kind === 'address')
      return work({ TEMPORAL_ADDRESS: server.address, ...named }, () => Promise.resolve(true))
    const [grpc = 0, http = 0, metrics = 0] = await freePorts([0, 0, 0])
    const file = path.join(dir, `temporal-${++launched}`)
    const { address, pid, answers } = await launchTemporal({
      supervisor,
      executable: server.executable,
      databaseFile: `${file}.db`,
      ports: { grpc, http, metrics },
      isDurable: false,
      logFile: `${file}.log`,
      env,
    })
    try {
      return await work({ TEMPORAL_ADDRESS: address, ...named }, answers)
    } finally {
      await supervisor.end(pid)
    }
  }

  return {
    /** @returns {Promise<Record<string, string>>} what tests read, on the database that is found first */
    any: () => start('database'),
    /**
     * @param {import('./database/find.mjs').FoundDatabase} server
     * @returns {Promise<Record<string, string>>} what tests read, on MySQL
     */
    mysql: async (server) => ({ ...(await start('MySQL', server)), TEST_ON_MYSQL: '1' }),
    /** @throws {Error} naming the choices when there is none */
    findMysql: () =>
      progress.step('looking for MySQL', {}, (onUpdate) =>
        findMysql(createContext({ env: testEnvironment(), onUpdate })),
      ),
    withTemporal,
  }
}
