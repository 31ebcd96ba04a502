import type { Client } from '@temporalio/client'
import { ConfigError, readConfig, type Config } from '../config/index.ts'
import { buildDeps, closeDatabase } from '../deps/deps.ts'
import { COMMAND_LINE } from '../domain/actor.ts'
import { createProbes } from '../process/probes.ts'
import {
  isUnavailable,
  isUnknownDatabase,
  isUnknownTable,
  databaseAdvice,
} from '../operations/database-faults.ts'
import { parseCommandLine, wantsJson } from './parse.ts'
import { COMMANDS } from './commands.ts'
import { formatForPeople, requireColumns } from './people/format.ts'
import { hasColours } from './people/style.ts'
import { print, printFailure, write, describeRefusal, failure, type Failure } from './print.ts'
import { findProgress, findSecrets, findTerminal } from './terminal.ts'
import type { Command, Values } from './command.ts'
import { parseList } from './values.ts'

/** Nearly all commands reach Temporal through the outbox. Loading Temporal's client would double the time of a command. */
const noTemporal = new Proxy(Object.create(null) as Client, {
  get() {
    throw new Error('this command does not talk to Temporal')
  },
})

/**
 * The operator's command line. Most commands need only the database. But a test event needs Temporal, and `status` asks
 * Temporal and the api.
 *
 * @returns the exit code
 */
export async function runCli(args: readonly string[]): Promise<number> {
  const isJson = wantsJson(args)
  try {
    await main(args, isJson)
    return 0
  } catch (error) {
    return printFailure(describeFailure(error), isJson)
  }
}

async function main(args: readonly string[], isJson: boolean): Promise<void> {
  const parsed = parseCommandLine(COMMANDS, args)
  if (parsed.kind === 'help') {
    print(parsed.text)
    return
  }
  const { command, isUtc } = parsed
  const columns = parseList('columns', parsed.columns ?? command.columns ?? '')
  const result = await run(command, parsed.values)
  if (result === undefined) return
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  const style = { isUtc, isColoured: hasColours(process.stdout), width }
  if (parsed.columns !== undefined) requireColumns(result, columns, command.deepLists)
  print(isJson ? JSON.stringify(result) : formatForPeople(result, columns, style, command.deepLists))
  if (!isJson && command.note !== undefined) process.stderr.write(`${command.note}\n`)
}

async function run(command: Command, values: Values): Promise<unknown> {
  // Silent: stdout is for the result.
  const config = { ...readConfig(), logLevel: 'silent' }
  const temporal = command.needsTemporal ? await connectTemporal(config) : undefined
  const deps = buildDeps(config, command.isQuick ? 'status' : 'cli', temporal ?? noTemporal)
  try {
    return await command.run(
      {
        deps,
        actor: COMMAND_LINE,
        terminal: findTerminal(),
        secrets: findSecrets(),
        progress: findProgress(),
        write,
        probes: createProbes(config),
      },
      values,
    )
  } finally {
    deps.doorbell.close()
    deps.feedBell.close()
    const closed = closeDatabase(deps)
    // A query that hangs may keep its connection open for some seconds. A quick command must not wait for it.
    await (command.isQuick ? void closed.catch(() => undefined) : closed)
    await temporal?.connection.close()
  }
}

async function connectTemporal(config: Config): Promise<Client> {
  const { lazyTemporalClient } = await import('../process/temporal/client.ts')
  return lazyTemporalClient(config)
}

/**
 * Puts any error into words for an operator. For a database error it shows only the code, because the message quotes
 * the statement with its values.
 */
export function describeFailure(error: unknown): Failure {
  const refusal = describeRefusal(error)
  if (refusal) return refusal
  if (error instanceof ConfigError)
    return { code: 'INVALID_CONFIGURATION', message: error.message, exitCode: 2 }
  const { code, sqlState } = (error ?? {}) as { code?: string; sqlState?: string }
  const advice = databaseAdvice(error)
  if (advice !== undefined) return failure('SERVICE_UNAVAILABLE', advice)
  if (isUnknownDatabase(error) || isUnknownTable(error))
    return failure('SERVICE_UNAVAILABLE', 'The database is not set up: run "migrate" first.')
  if (isUnavailable(error)) return failure('SERVICE_UNAVAILABLE', 'The database does not answer.')
  if (sqlState !== undefined) return failure('INTERNAL_ERROR', `The database refused: ${code ?? 'unknown'}.`)
  return failure('INTERNAL_ERROR', error instanceof Error ? error.message : String(error))
}
