import { UsageError } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { createProbes } from '../../src/process/probes.ts'
import type { Json } from './tenants.ts'
import { words } from './words.ts'

/** Runs a command in this process. Returns the document that `--json` prints, or the text that the command wrote. */
export const runCommand = (deps: SystemDeps, ...args: string[]): Promise<Json> =>
  run(deps, () => Promise.reject(new UsageError('nobody tells a secret here')), args)

/** Runs commands on the database of a test, as a user types them. Arguments that contain blanks follow the text. */
export const commandsOn = (its: { readonly deps: SystemDeps }) => ({
  cli: (text: string, ...more: string[]): Promise<Json> => runCommand(its.deps, ...words(text), ...more),
  /** Returns the message with which a command is refused as wrong usage. */
  usageError: (text: string, ...more: string[]) => usageErrorOf(its.deps, ...words(text), ...more),
})

/** Runs a command with a secret on stdin. */
export const runCommandWith = (deps: SystemDeps, secret: string, ...args: string[]): Promise<Json> =>
  run(deps, () => Promise.resolve(secret), args)

/** Runs a command in the form for people. `print` receives its progress lines. */
export const runCommandSeen = (
  deps: SystemDeps,
  print: (line: string) => void,
  ...args: string[]
): Promise<Json> => run(deps, () => Promise.resolve(''), args, print)

async function run(
  deps: SystemDeps,
  read: () => Promise<string>,
  args: readonly string[],
  print: (line: string) => void = () => undefined,
): Promise<Json> {
  const parsed = parseCommandLine(COMMANDS, args)
  if (parsed.kind !== 'run') throw new Error(`no command: ${args.join(' ')}`)
  const ignore = () => undefined
  const progress = { show: ignore, end: ignore, print }
  const probes = createProbes(deps.config)
  let written = ''
  const write = (text: string) => Promise.resolve((written += text) !== '')
  const parts = { deps, actor: COMMAND_LINE, secrets: { read }, progress, probes, write }
  const result = await parsed.command.run({ ...parts, terminal: undefined }, parsed.values)
  return result === undefined ? written : JSON.parse(JSON.stringify(result))
}

/** Reads all records of a list in parts of the given size. */
export async function listInParts(deps: SystemDeps, limit: number, ...args: string[]): Promise<Json[]> {
  const found: Json[] = []
  for (let cursor: string[] = []; ;) {
    const { data, pagination } = await runCommand(deps, ...args, '--limit', String(limit), ...cursor)
    found.push(...data)
    if (pagination.next_cursor === null) return found
    cursor = ['--cursor', pagination.next_cursor]
  }
}

/** Returns the message with which a command is refused as wrong usage. */
export async function usageErrorOf(deps: SystemDeps, ...args: string[]): Promise<string> {
  try {
    await runCommand(deps, ...args)
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  throw new Error(`${args.join(' ')} was accepted`)
}
