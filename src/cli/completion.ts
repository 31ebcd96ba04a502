import { UsageError, type Values } from './command.ts'
import { COMMANDS } from './commands.ts'
import type { Shell } from './commands/completion.ts'
import { parseCommandLine, wantsJson } from './parse.ts'
import { describeRefusal, print, printFailure } from './print.ts'
import { buildProgram } from './program.ts'

/** The words that were typed so far, and the words that may come next. */
type Step = { readonly typed: string; readonly next: readonly string[] }

const NAME = /^[a-z][a-z0-9_-]{0,63}$/i

/** Prints the script of `completion`. @returns the exit code */
export function runCompletion(args: readonly string[]): number {
  try {
    const parsed = parseCommandLine(COMMANDS, args)
    if (parsed.kind === 'help') print(parsed.text)
    else print(scriptFor(parsed.command.name.split(' ')[1] ?? '', parsed.values))
    return 0
  } catch (error) {
    const refusal = describeRefusal(error)
    if (refusal === undefined) throw error
    return printFailure(refusal, wantsJson(args))
  }
}

function scriptFor(shell: string, { name = 'sales-data' }: Values): string {
  if (!NAME.test(name)) throw new UsageError('--name must be a command of letters, digits, "-" and "_".')
  return SCRIPTS[shell as Shell](name, listSteps())
}

type Node = ReturnType<typeof buildProgram>

/** For each node of the parser's tree of commands, lists the words that may follow it. */
function listSteps(): Step[] {
  const ignore = () => undefined
  const program = buildProgram(COMMANDS, ignore, ignore, '')
  const everywhere = optionsOf(program)
  const walk = (node: Node, typed: string): Step[] => [
    node.commands.length > 0
      ? { typed, next: node.commands.map((child) => child.name()) }
      : { typed, next: [...new Set([...optionsOf(node), ...everywhere])] },
    ...node.commands.flatMap((child) => walk(child, `${typed} ${child.name()}`.trim())),
  ]
  return walk(program, '')
}

const optionsOf = (node: Node): string[] =>
  node
    .createHelp()
    .visibleOptions(node)
    .flatMap(({ long }) => long ?? [])

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')
const functionOf = (name: string): string => `_complete_${name.replaceAll('-', '_')}`

/** The steps as branches of a shell's `case`. */
const branches = (steps: readonly Step[], assign: (next: readonly string[]) => string): string =>
  steps.map(({ typed, next }) => `    '${typed}') ${assign(next)} ;;`).join('\n')

const known = (steps: readonly Step[], separator: string): string =>
  steps.flatMap(({ typed }) => (typed === '' ? [] : [`'${typed}'`])).join(separator)

/** The scripts skip words that belong to no command, such as the values of options. */
const SCRIPTS: Record<Shell, (name: string, steps: readonly Step[]) => string> = {
  bash: (name, steps) => `${functionOf(name)}() {
  local at='' word next words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${at:+$at }$word"
    case "$next" in ${known(steps, '|')}) at="$next" ;; esac
  done
  case "$at" in
${branches(steps, (next) => `words='${next.join(' ')}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F ${functionOf(name)} ${name}`,
  zsh: (name, steps) => `#compdef ${name}
${functionOf(name)}() {
  local at='' word next
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in (${known(steps, '|')}) at="$next" ;; esac
  done
  case "$at" in
${branches(steps, (next) => `candidates=(${quoted(next)})`)}
  esac
  compadd -- $candidates
}
compdef ${functionOf(name)} ${name}`,
  fish: (name, steps) => `function ${functionOf(name)}
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$at $word")
    contains -- "$next" ${known(steps, ' ')}; and set at "$next"
  end
  switch "$at"
${steps.map(({ typed, next }) => `    case '${typed}'; printf '%s\\n' ${quoted(next)}`).join('\n')}
  end
end
complete -c ${name} -f -a '(${functionOf(name)})'`,
}
