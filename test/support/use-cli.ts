import { randomBytes } from 'node:crypto'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { cliResult, runCli, type CliResult } from './cli.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { testDeps } from './deps.ts'
import { runCommand } from './operator-commands.ts'
import type { Json } from './tenants.ts'

/** The command line on a database of the file's own; read it inside tests. */
export type CommandLine = {
  readonly database: TestDatabase
  readonly environment: Record<string, string>
  readonly deps: SystemDeps
  /** The document of a command that succeeds, in this process: loading the program takes half a second of a core. */
  run(...args: string[]): Promise<Json>
  /** The same by a process of its own, as an operator runs it. */
  runProcess(...args: string[]): Promise<Json>
  /** What a process of its own printed, and how it ended. */
  result(args: readonly string[], more?: Record<string, string>): Promise<CliResult>
}

/** Nothing listens at its addresses of Temporal and the api: the command line must not need one. */
export function useCli(): CommandLine {
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
    run(...args) {
      return runCommand(this.deps, ...args)
    },
    runProcess: (...args) => runCli(args, environment),
    result: (args, more = {}) => cliResult(args, { ...environment, ...more }),
  }
}
