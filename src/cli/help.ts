import type { Command } from './command.js'

const INDENT = '  '

/** The list of the commands. */
export function describeCommands(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }): Row => [name, summary])
  return [
    'Usage: npm run --silent cli -- COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...columns(rows),
    '',
    'Options of every command, before or after it:',
    ...columns([
      ['--json', 'Print one JSON document on stdout and nothing else, errors too.'],
      ['--help', 'Describe the command.'],
    ]),
    '',
    'Exit codes: 0 success, 1 refused or failed, 2 wrong usage or configuration.',
    'DATABASE_URL and SECRETS_KEYS are read from the environment.',
  ].join('\n')
}

/** One command with its options. */
export function describeCommand({ name, summary, options }: Command): string {
  const entries = Object.entries(options)
  const spelt = (option: string, value = '') => `--${option} ${value}`.trimEnd()
  const usage = entries.map(([option, { value, isRequired }]) =>
    isRequired ? spelt(option, value) : `[${spelt(option, value)}]`,
  )
  const rows = entries.map(([option, { value, help }]): Row => [spelt(option, value), help])
  return [`Usage: ${[name, ...usage].join(' ')} [--json]`, '', summary, '', ...columns(rows)]
    .join('\n')
    .trimEnd()
}

type Row = readonly [string, string]

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${INDENT}${left.padEnd(width)}${INDENT}${right}`)
}
