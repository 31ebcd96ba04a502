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
 * Launches a throw-away Temporal server for the tests, or takes the one that TEMPORAL_ADDRESS names.
 *
 * @param {object} options
 * @param {import('./supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.dir for all its files
 * @param {(detail: string) => void} options.onUpdate
 * @returns {Promise<Record<'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE', string>>} what tests read
 */
async function launchTestTemporal({ supervisor, dir, onUpdate }) {
  const env = testEnvironment()
  const found = await findTemporal(createContext({ env, onUpdate }))
  const named = { TEMPORAL_NAMESPACE: env.TEMPORAL_NAMESPACE ?? 'default' }
  if (found.kind === 'address') return { TEMPORAL_ADDRESS: found.address, ...named }
  const [grpc, http, metrics] = await freePorts([0, 0, 0])
  const address = await launchTemporal({
    supervisor,
    executable: found.executable,
    databaseFile: path.join(dir, 'temporal.db'),
    ports: { grpc, http, metrics },
    isDurable: false,
    logFile: path.join(dir, 'temporal.log'),
    env,
  })
  return { TEMPORAL_ADDRESS: address, ...named }
}

/**
 * The servers of a test run, each launched when it is first asked for. Both databases share Temporal.
 *
 * @param {object} options
 * @param {import('./supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.dir for all their files
 * @param {Pick<ReturnType<typeof import('./progress.mjs').createProgress>, 'step'>} options.progress
 */
export function createTestServers({ supervisor, dir, progress }) {
  /** @type {Promise<Record<string, string>> | undefined} */
  let temporal
  const startTemporal = () =>
    (temporal ??= progress.step('Temporal', {}, (onUpdate) =>
      launchTestTemporal({ supervisor, dir, onUpdate }),
    ))
  /** @param {string} title @param {import('./database/find.mjs').FoundDatabase} [found] */
  const start = async (title, found) => {
    const ownDir = path.join(dir, title)
    const database = progress.step(title, {}, (onUpdate) =>
      launchTestDatabase({ supervisor, dir: ownDir, onUpdate, found }),
    )
    return Object.assign({}, ...(await Promise.all([database, startTemporal()])))
  }
  return {
    /** @returns {Promise<Record<string, string>>} what tests read, on the database that is found first */
    any: () => start('database'),
    /**
     * @param {import('./database/find.mjs').FoundDatabase} found
     * @returns {Promise<Record<string, string>>} what tests read, on MySQL
     */
    mysql: async (found) => ({ ...(await start('MySQL', found)), TEST_ON_MYSQL: '1' }),
    /** @throws {Error} naming the choices when there is none */
    findMysql: () =>
      progress.step('looking for MySQL', {}, (onUpdate) =>
        findMysql(createContext({ env: testEnvironment(), onUpdate })),
      ),
  }
}
