import { randomBytes } from 'node:crypto'
import { cliResult } from './cli.ts'
import { createTestDatabase, type TestDatabase, testDeps } from './database.ts'
import { runCommand } from './operator-commands.ts'

/**
 * Runs the command line on a database of its own. Read the members inside tests. Nothing listens at its addresses of
 * Temporal and the api, because these commands must need neither.
 */
export function useCli() {
  let database: TestDatabase
  let environment: Record<string, string>
  before(async () => {
    database = await createTestDatabase()
    environment = {
      DATABASE_URL: database.url,
      SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PUBLIC_URL: 'http://127.0.0.1:1',
      NODE_ENV: 'test',
    }
  })
  after(() => database.drop())
  return {
    get database() {
      return database
    },
    get environment() {
      return environment
    },
    get deps() {
      return testDeps(database, environment)
    },
    /** A successful command's document. It runs in this process, because loading the program takes half a second. */
    run: (...args: string[]) => runCommand(testDeps(database, environment), ...args),
    /** The output and exit code of a command in its own process. */
    result: (args: readonly string[], more = {}) => cliResult(args, { ...environment, ...more }),
  }
}
