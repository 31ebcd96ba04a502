import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { findDatabase, findMysql } from '../lib/database/find.mjs'
import { launchDatabase } from '../lib/database/launch.mjs'
import { createContext } from '../lib/find.mjs'
import { freePorts } from '../lib/ports.mjs'
import type { Supervisor } from '../lib/supervisor.mjs'
import { findTemporal } from '../lib/temporal/find.mjs'
import { launchTemporal } from '../lib/temporal/launch.mjs'
import type { Configuration } from './suites.ts'

/** What tests read in process.env. */
export type Environment = Readonly<Record<string, string>>
type OnUpdate = (text: string) => void

/** @returns our environment without the user's own database, which no test may touch */
export function testEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, ...env } = process.env
  return env
}

/**
 * The servers that the tests of a run share. Each is launched, or is the one that the user names: TEMPORAL_ADDRESS, or
 * TEST_DATABASE_URL, an administrator's URL. DATABASE_URL is never taken, because tests create and drop databases.
 *
 * @param dir for all their files
 * @returns functions that launch a server and give what tests read to find it, or throw an error that names the choices
 */
export function createTestServers(supervisor: Supervisor, dir: string) {
  const options = { supervisor, isDurable: false, env: testEnvironment() }
  const at = (file: string) => path.join(dir, file)
  return {
    async database(configuration: Configuration, onUpdate: OnUpdate): Promise<Environment> {
      const { TEST_DATABASE_URL: named } = options.env
      if (configuration === 'A' && named !== undefined) return { TEST_DATABASE_URL: named }
      const find = configuration === 'A' ? findDatabase : findMysql
      const found = await find(createContext({ env: options.env, onUpdate }))
      const env = configuration === 'A' ? {} : { TEST_ON_MYSQL: '1', TEST_FIRST_ATTEMPT: 'direct' }
      if (found.kind === 'url') return { ...env, TEST_DATABASE_URL: found.url }
      const url = await launchDatabase({
        ...options,
        found,
        dir: at(`database-${configuration}`),
        port: (await freePorts([0]))[0]!,
        password: randomBytes(16).toString('hex'),
        logFile: at(`database-${configuration}.log`),
      })
      return { ...env, TEST_DATABASE_URL: `${url}mysql` }
    },
    async temporal(onUpdate: OnUpdate): Promise<Environment> {
      const TEMPORAL_NAMESPACE = options.env['TEMPORAL_NAMESPACE'] ?? 'default'
      const found = await findTemporal(createContext({ env: options.env, onUpdate }))
      if (found.kind === 'address') return { TEMPORAL_ADDRESS: found.address, TEMPORAL_NAMESPACE }
      const [grpc = 0, http = 0, metrics = 0] = await freePorts([0, 0, 0])
      const { address } = await launchTemporal({
        ...options,
        executable: found.executable,
        databaseFile: at('temporal.db'),
        ports: { grpc, http, metrics },
        logFile: at('temporal.log'),
      })
      return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE }
    },
  }
}
