import { findDatabase, findMysql } from '../lib/database/find.mjs'
import type { Supervisor } from '../lib/supervisor.mjs'
import { provideDatabase, provideTemporal } from '../stack/servers.ts'
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
  const options = { supervisor, dir, isDurable: false, env: testEnvironment() }
  return {
    async database(configuration: Configuration, onUpdate: OnUpdate): Promise<Environment> {
      const { TEST_DATABASE_URL: named } = options.env
      if (configuration === 'A' && named !== undefined) return { TEST_DATABASE_URL: named }
      const find = configuration === 'A' ? findDatabase : findMysql
      const folder = `database-${configuration}`
      const url = await provideDatabase({ ...options, name: 'mysql', folder, find, onUpdate })
      const env = configuration === 'A' ? {} : { TEST_ON_MYSQL: '1', TEST_FIRST_ATTEMPT: 'direct' }
      return { ...env, TEST_DATABASE_URL: url }
    },
    async temporal(onUpdate: OnUpdate): Promise<Environment> {
      const { address } = await provideTemporal({ ...options, onUpdate })
      const TEMPORAL_NAMESPACE = options.env['TEMPORAL_NAMESPACE'] ?? 'default'
      return { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE }
    },
  }
}
