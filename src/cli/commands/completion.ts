import type { Command } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** `completion`, for the help and the parser. It needs no settings: src/cli.ts calls completion.ts, not `run`. */
export const completionCommands: readonly Command[] = SHELLS.map((shell) => ({
  name: `completion ${shell}`,
  group: 'This command line',
  summary: `Print a script with which ${shell} completes commands and options.`,
  options: { name: { value: 'NAME', help: 'The command or alias that calls it; by default sales-data.' } },
  details: 'It needs neither database nor settings.',
  run: () => Promise.reject(new Error('src/cli.ts runs completion without the parts of the service')),
}))
