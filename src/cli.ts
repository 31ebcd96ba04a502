import type { Client } from '@temporalio/client'
import { parseCommandLine, wantsJson } from './cli/parse.ts'
import { COMMANDS } from './cli/commands.ts'
import { describeFailure, type Failure } from './cli/failure.ts'
import { formatForPeople, requireColumns } from './cli/people/format.ts'
import { hasColours } from './cli/people/style.ts'
import { findProgress } from './cli/progress.ts'
import { findSecrets, findTerminal } from './cli/terminal.ts'
import type { Command, Values } from './cli/command.ts'
import { ConfigError, readConfig } from './config/index.ts'
import { COMMAND_LINE } from './domain/actor.ts'
import { buildDeps, closeDatabase } from './deps/deps.ts'
import { createProbes } from './process/probes.ts'

const args = process.argv.slice(2)
const isJson = wantsJson(args)

/** Commands for Temporal go through the outbox; loading its client would double the time a command takes. */
const noTemporal = new Proxy(Object.create(null) as Client, {
  get() {
    throw new Error('the command line does not talk to Temporal')
  },
})

process.exitCode = await main().catch(report)

/** The operator's command line: works on the database alone, so that it needs neither Temporal nor the api. */
async function main(): Promise<number> {
  const parsed = parseCommandLine(COMMANDS, args)
  if (parsed.kind === 'help') {
    print(parsed.text)
    return 0
  }
  const { command, isUtc, columns = command.columns ?? [] } = parsed
  const result = await run(command, parsed.values)
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  const style = { isUtc, isColoured: hasColours(process.stdout), width }
  if (parsed.columns) requireColumns(result, columns)
  print(isJson ? JSON.stringify(result) : formatForPeople(result, columns, style))
  if (!isJson && command.note !== undefined) process.stderr.write(`${command.note}\n`)
  return 0
}

async function run(command: Command, values: Values): Promise<unknown> {
  // Silent: stdout is for the result.
  const config = { ...readConfig(), logLevel: 'silent' }
  const deps = buildDeps(config, command.isQuick ? 'status' : 'cli', noTemporal)
  try {
    return await command.run(
      {
        deps,
        actor: COMMAND_LINE,
        terminal: findTerminal(),
        secrets: findSecrets(),
        progress: findProgress(),
        probes: createProbes(config),
      },
      values,
    )
  } finally {
    deps.doorbell.close()
    deps.feedBell.close()
    await closeDatabase(deps)
  }
}

function report(error: unknown): number {
  const { code, message, exitCode, help } = toFailure(error)
  if (isJson) print(JSON.stringify({ error: { code, message } }))
  else process.stderr.write(help === undefined ? `${code}: ${message}\n` : `${help}\n`)
  return exitCode
}

function toFailure(error: unknown): Failure {
  if (!(error instanceof ConfigError)) return describeFailure(error)
  return { code: 'INVALID_CONFIGURATION', message: error.message, exitCode: 2 }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
