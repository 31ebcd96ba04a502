import type { Actor } from '../domain/actor.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { Probes } from '../operations/operator/status.ts'

/** An option of a command. */
type OptionSpec = {
  /** Name of the value in the help, for example `ID`; a flag has none. */
  readonly value?: string
  readonly help: string
  readonly isRequired?: boolean
}

type Options = Readonly<Record<string, OptionSpec>>

/** The values of the options that were given, by option name. The value of a flag is ''. */
export type Values = Readonly<Record<string, string | undefined>>

/** The values of these options. Parsing has made sure that the required ones are there. */
type ValuesOf<Of extends Options> = {
  readonly [Name in keyof Of]: Of[Name] extends { readonly isRequired: true } ? string : string | undefined
}

/** A person who can be asked. `ask` resolves to the line that the person types; to '' when the input ends. */
export type Terminal = { readonly ask: (question: string) => Promise<string> }

/** Reads secrets from the terminal or stdin, not from arguments: other users of the machine can see arguments. */
export type Secrets = {
  /** @throws UsageError that names the option, when no secret came */
  readonly read: (question: string, option: string) => Promise<string>
}

export type Progress = {
  /** Shows the progress on one line, which the next call replaces. Does nothing without a terminal. */
  readonly show: (line: string) => void
  readonly end: () => void
  /** Prints a line that stays. */
  readonly print: (line: string) => void
}

/** What a command works with: the parts of a process, how the audit names the operator, and the terminal, if any. */
export type CommandContext = {
  readonly deps: SystemDeps
  readonly actor: Actor
  readonly terminal: Terminal | undefined
  readonly secrets: Secrets
  readonly progress: Progress
  /** Writes text on stdout. Resolves to true once the system has taken it, to false if nobody reads stdout any more. */
  readonly write: (text: string) => Promise<boolean>
  /** Checks whether Temporal and the api answer. */
  readonly probes: Probes
}

/**
 * One command. `run` resolves to the JSON document that `--json` prints, or to undefined when `run` has printed
 * everything itself.
 */
export type Command = {
  /** The words that call it, for example `key create`. */
  readonly name: string
  /** The heading under which the help lists it. */
  readonly group: string
  readonly summary: string
  readonly options: Options
  /** The columns that people see of the lists in the result, in the notation of --columns (people/format.ts). */
  readonly columns?: string
  /** Nested lists of the result that people also see as tables. Each is named by its path, such as `usage.daily`. */
  readonly deepLists?: readonly string[]
  /** Whether it talks to Temporal. Other commands do not load Temporal's client, and so start in half the time. */
  readonly needsTemporal?: boolean
  /** Whether it must answer soon even while the database hangs. Other commands may take any time. */
  readonly isQuick?: boolean
  /** Text below the options in its own help. */
  readonly details?: string
  /** Shown to people after success, never with --json. */
  readonly note?: string
  readonly run: (context: CommandContext, values: Values) => Promise<unknown>
}

/** A command that runs with the values of its own options. */
type CommandWith<Of extends Options> = Omit<Command, 'group' | 'options' | 'run'> & {
  readonly options: Of
  readonly run: (context: CommandContext, values: ValuesOf<Of>) => Promise<unknown>
}

/** Makes commands that the help lists under one heading. The types of their options are checked here, then erased. */
export const inGroup = <const All extends readonly Options[]>(
  group: string,
  commands: { readonly [Index in keyof All]: CommandWith<All[Index]> },
): readonly Command[] => commands.map((command) => ({ ...command, group }))

/** The command line itself is wrong (exit code 2). A wrong value is an ApiError instead (exit code 1). */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The help for a person who named no command. */
  readonly help: string | undefined

  constructor(message: string, { help, cause }: { help?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.help = help
  }
}

/** Whether a flag is given. */
export const isGiven = (values: Values, name: string): boolean => values[name] !== undefined
