import { randomBytes } from 'node:crypto'
import { cliResult } from './cli.ts'
import { createTestDatabase, type TestDatabase, testDeps } from './database.ts'
import { runCommand } from './operator-commands.ts'

/**
 * The command line on a database of the file's own; read it inside tests. Nothing listens at its addresses of Temporal and the api: the command
 * line must not need one.
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
    /** The document of a command that succeeds, in this process: loading the program takes half a second of a core. */
    run: (...args: string[]) => runCommand(testDeps(database, environment), ...args),
    /** What a process of its own printed, and how it ended. */
    result: (args: readonly string[], more = {}) => cliResult(args, { ...environment, ...more }),
  }
}
