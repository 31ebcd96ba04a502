import { Command as Program, Option } from 'commander'
import { VERSION } from '../deps/version.ts'
import type { Command, Values } from './command.ts'

const endingOf = (call: string): string => `
An option may stand before the command or after it. Describe one command: ${call} key create --help
Exit codes: 0 success, 1 refused or failed, 2 wrong usage or configuration.
DATABASE_URL and SECRETS_KEYS are read from the environment.`

/** Called with the command that the arguments name, and its values. */
type OnCommand = (command: Command, values: Values) => void

/**
 * Describes the commands to commander. When commander parses, it prints nothing and does not end the process: it throws
 * CommanderError, and passes to `write` what it would print.
 *
 * @param call how a shell calls the program, for the help
 */
export function buildProgram(
  commands: readonly Command[],
  write: (text: string) => void,
  onCommand: OnCommand,
  call: string,
): Program {
  const program = new Program(call)
    .usage('COMMAND [OPTIONS]')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({ showGlobalOptions: true, helpWidth: 120 })
    .helpCommand(false)
    .option('--json', 'Print one JSON document on stdout and nothing else, errors too.')
    .option('--utc', 'Print times in UTC, in place of the local zone. JSON is always in UTC.')
    .option(
      '--columns <NAME,…>',
      'Of a table, only these columns: any field that --json shows, such as health.state.',
    )
    .version(VERSION, '--version', 'Print the version.')
    .helpOption('-h, --help', 'Describe the command line, or one command.')
    .addHelpText('after', endingOf(call))
  for (const command of commands) addCommand(program, command, onCommand)
  return listWhole(program)
}

function addCommand(program: Program, command: Command, onCommand: OnCommand): void {
  const words = command.name.split(' ')
  const parent = words.slice(0, -1).reduce(childOf, program)
  const leaf = parent.command(words.at(-1) ?? '').description(command.summary)
  leaf.usage('[OPTIONS]').helpGroup(`${command.group}:`)
  for (const [name, spec] of Object.entries(command.options)) {
    const flags = spec.value === undefined ? `--${name}` : `--${name} <${spec.value}>`
    leaf.addOption(new Option(flags, spec.help).helpGroup(spec.isRequired ? 'Required:' : 'Options:'))
  }
  if (command.details !== undefined) leaf.addHelpText('after', `\n${command.details}`)
  leaf.action(() => onCommand(command, valuesOf(command, leaf)))
}

/** Finds the command of a noun, such as `key` of `key create`. Makes it if it is missing. */
function childOf(parent: Program, word: string): Program {
  const known = parent.commands.find((child) => child.name() === word)
  return known ?? parent.command(word).usage('COMMAND [OPTIONS]')
}

function valuesOf({ options }: Command, leaf: Program): Values {
  const given = Object.keys(options).flatMap((name) => {
    const value: unknown = leaf.getOptionValue(new Option(`--${name}`).attributeName())
    return value === undefined ? [] : [[name, typeof value === 'string' ? value : ''] as const]
  })
  return Object.fromEntries(given)
}

/** In the help, lists every command by its whole name, such as `key create`, in place of the nouns. */
function listWhole(program: Program): Program {
  const leaves = (parent: Program): Program[] =>
    parent.commands.flatMap((child) => (child.commands.length > 0 ? leaves(child) : [child]))
  program.configureHelp({
    ...program.configureHelp(),
    visibleCommands: leaves,
    subcommandTerm: (leaf) => nameOf(program, leaf),
  })
  for (const noun of program.commands.filter(({ commands }) => commands.length > 0)) {
    noun.helpGroup(noun.commands[0]?.helpGroup() ?? '').copyInheritedSettings(program)
  }
  return program
}

const nameOf = (program: Program, command: Program): string =>
  command.parent && command.parent !== program
    ? `${nameOf(program, command.parent)} ${command.name()}`
    : command.name()
