import { CommanderError } from 'commander'
import { UsageError, type Command, type Values } from './command.ts'
import { buildProgram } from './program.ts'

/** What the arguments ask for: help (of everything, or of one command), the version, or a command with its values. */
export type Parsed =
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly values: Values
      readonly isUtc: boolean
      /** The columns to show in place of the command's own. */
      readonly columns: string | undefined
    }

/** Whether `--json` is among the arguments. It is read before all else, because it decides how errors are printed. */
export const wantsJson = (args: readonly string[]): boolean => args.includes('--json')

/**
 * Reads the arguments after the program's name. Options may come before or after the command.
 *
 * @param call how a shell calls the program, for the help
 * @throws UsageError that says what is wrong with the arguments
 */
export function parseCommandLine(
  commands: readonly Command[],
  args: readonly string[],
  call = 'npm run --silent cli --',
): Parsed {
  checkOptions(commands, args)
  let text = ''
  let found: { readonly command: Command; readonly values: Values } | undefined
  const program = buildProgram(
    commands,
    (part) => (text += part),
    (command, values) => (found = { command, values }),
    call,
  )
  try {
    program.parse(commandFirst(args, commands), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (SHOWN.has(error.code)) return { kind: 'help', text: text.trimEnd() }
    throw usageErrorOf(error, text)
  }
  if (!found) throw new Error('the arguments name no command')
  requireAll(found.command, found.values)
  const columns = program.getOptionValue('columns') as string | undefined
  if (columns !== undefined) requireTable(found.command, args)
  return { kind: 'run', ...found, isUtc: program.getOptionValue('utc') === true, columns }
}

/** The codes that commander throws after it has shown the help or the version. */
const SHOWN = new Set(['commander.version', 'commander.helpDisplayed'])

function requireTable({ name, columns }: Command, args: readonly string[]): void {
  if (columns === undefined) throw new UsageError(`${name} prints no table, so it has no --columns.`)
  if (wantsJson(args)) throw new UsageError('--columns is for tables, and --json prints none.')
}

/**
 * Moves options that stand before the command, with their values, to the end of the arguments. Otherwise commander
 * would show the help of all commands for `--help key rotate`, and would take the value of an option for a command.
 *
 * @param commands needed to know which options take values
 */
export function commandFirst(args: readonly string[], commands: readonly Command[]): string[] {
  const isWord = (arg: string, index: number) =>
    !arg.startsWith('-') && !takesValue(commands, args[index - 1] ?? '')
  const start = Math.max(0, args.findIndex(isWord))
  return [...args.slice(start), ...args.slice(0, start)]
}

const isOption = (arg: string): boolean => arg.startsWith('--') && arg.length > 2

const takesValue = (commands: readonly Command[], arg: string): boolean =>
  arg === '--columns' ||
  commands.some(({ options }) => isOption(arg) && options[arg.slice(2)]?.value !== undefined)

/**
 * Refuses two mistakes that commander accepts. If an option is given twice, commander takes the last value. If an
 * option lacks its value, commander takes the next option as the value.
 */
function checkOptions(commands: readonly Command[], args: readonly string[]): void {
  const names = args.filter(isOption).map((arg) => arg.split('=')[0] ?? '')
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new UsageError(`${repeated} is given more than once.`)
  const empty = args.find((arg, index) => takesValue(commands, arg) && args[index + 1]?.startsWith('-'))
  if (empty === undefined) return
  throw new UsageError(`${empty} needs a value. Write ${empty}=-x for a value that begins with a dash.`)
}

/** Call it after commander has read the options, so that commander first reports a misspelt option such as `--nam`. */
function requireAll({ name, options }: Command, values: Values): void {
  const missing = Object.entries(options)
    .filter(([option, { isRequired }]) => isRequired === true && values[option] === undefined)
    .map(([option]) => `--${option}`)
  if (missing.length > 0) throw new UsageError(`${name} needs ${missing.join(', ')}.`)
}

/** `error: unknown option '--nam'\n(Did you mean --name?)` -> one line. */
function usageErrorOf(error: CommanderError, help: string): UsageError {
  if (error.code === 'commander.help')
    return new UsageError('A command is needed. --help lists the commands.', { help: help.trimEnd() })
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`
  return new UsageError([sentence, ...rest, '--help describes the command.'].join(' '), { cause: error })
}
