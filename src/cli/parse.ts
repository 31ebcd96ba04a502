import { parseArgs, type ParseArgsConfig } from 'node:util'
import { UsageError, type Command, type Values } from './command.js'

/** What the arguments ask for: help (of everything, or of one command), or a command with its values. */
export type Parsed =
  | { readonly kind: 'help'; readonly command: Command | undefined }
  | { readonly kind: 'run'; readonly command: Command; readonly values: Values }

type Flags = NonNullable<ParseArgsConfig['options']>

const FLAGS: Flags = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }

/** What may come before a command: the flags of every command. */
const LEADING = ['--json', '--help', '-h']

/** Whether `--json` is among the arguments. It is read before all else, because it decides how errors are printed. */
export const wantsJson = (args: readonly string[]): boolean => args.includes('--json')

/**
 * Reads the arguments after the program's name. `--json` and `--help` may come before or after the command.
 *
 * @throws UsageError that says what is wrong with them
 */
export function parseCommandLine(commands: readonly Command[], given: readonly string[]): Parsed {
  const start = given.findIndex((arg) => !LEADING.includes(arg))
  const leading = start === -1 ? given : given.slice(0, start)
  const args = given.slice(leading.length)
  const command = commands.find(({ name }) => startsWith(args, name.split(' ')))
  if (!command) {
    if (given.some((arg) => arg === '--help' || arg === '-h')) return { kind: 'help', command }
    if (args.length === 0) throw new UsageError('A command is needed. --help lists the commands.')
    throw new UsageError(`There is no command "${wordsOf(args)}". --help lists the commands.`)
  }
  const { help, ...values } = readOptions(command, [
    ...leading,
    ...args.slice(command.name.split(' ').length),
  ])
  if (help === true) return { kind: 'help', command }
  return { kind: 'run', command, values: requireAll(command, values) }
}

const startsWith = (args: readonly string[], words: readonly string[]): boolean =>
  words.every((word, index) => args[index] === word)

const wordsOf = (args: readonly string[]): string => {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'))
  return args.slice(0, firstOption === -1 ? 2 : Math.min(firstOption, 2)).join(' ')
}

function readOptions(
  command: Command,
  args: readonly string[],
): Record<string, string | boolean | undefined> {
  const named = Object.entries(command.options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  )
  const options: Flags = { ...FLAGS, ...Object.fromEntries(named) }
  try {
    const { values, tokens } = parseArgs({ args: [...args], options, strict: true, tokens: true })
    const names = tokens.filter((token) => token.kind === 'option').map(({ name }) => name)
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined) throw new UsageError(`--${repeated} is given more than once.`)
    return values as Record<string, string | boolean | undefined>
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError((error as Error).message, { cause: error })
  }
}

function requireAll(command: Command, values: Record<string, string | boolean | undefined>): Values {
  const missing = Object.entries(command.options)
    .filter(([name, { isRequired }]) => isRequired === true && values[name] === undefined)
    .map(([name]) => `--${name}`)
  if (missing.length > 0) throw new UsageError(`${command.name} needs ${missing.join(', ')}.`)
  const ofCommand = Object.entries(values).filter(([name]) => name in command.options)
  return Object.fromEntries(ofCommand.map(([name, value]) => [name, typeof value === 'string' ? value : '']))
}
