import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { findDatabase } from './database/find.mjs'
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
 * Launches a throw-away database and Temporal server for the tests. A server the user names (TEST_DATABASE_URL, an
 * administrator's URL, and TEMPORAL_ADDRESS) is used as it is; DATABASE_URL is never taken, tests create and drop.
 *
 * @param {object} options
 * @param {import('./supervisor.mjs').Supervisor} options.supervisor
 * @param {string} options.dir for all their files
 * @param {(detail: string) => void} options.onUpdate
 * @returns {Promise<Record<'TEST_DATABASE_URL' | 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE', string>>} what tests read
 */
export async function launchTestServers({ supervisor, dir, onUpdate }) {
  const env = testEnvironment()
  const context = createContext({ env, onUpdate })
  const [databasePort, grpc, http, metrics] = await freePorts([0, 0, 0, 0])
  const [databaseUrl, temporalAddress] = await Promise.all([
    env.TEST_DATABASE_URL ?? testDatabase({ supervisor, dir, port: databasePort, context }),
    testTemporal({ supervisor, dir, ports: { grpc, http, metrics }, context }),
  ])
  return {
    TEST_DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: env.TEMPORAL_NAMESPACE ?? 'default',
  }
}

async function testDatabase({ supervisor, dir, port, context }) {
  const url = await launchDatabase({
    supervisor,
    found: await findDatabase(context),
    dir: path.join(dir, 'database'),
    port,
    password: randomBytes(16).toString('hex'),
    isDurable: false,
    logFile: path.join(dir, 'database.log'),
    env: context.env,
  })
  return `${url}mysql`
}

async function testTemporal({ supervisor, dir, ports, context }) {
  const found = await findTemporal(context)
  if (found.kind === 'address') return found.address
  return launchTemporal({
    supervisor,
    executable: found.executable,
    databaseFile: path.join(dir, 'temporal.db'),
    ports,
    isDurable: false,
    logFile: path.join(dir, 'temporal.log'),
    env: context.env,
  })
}
