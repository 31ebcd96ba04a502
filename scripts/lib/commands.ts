import { constants } from 'node:os'
import { readLines, spawnGroup } from './processes.ts'

type RunOptions = {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly onLine?: ((line: string) => void) | undefined
  /** After this time the command is killed. */
  readonly timeoutMs?: number
  /** The command writes to our own streams, `output` stays empty. */
  readonly inherit?: boolean
  /** For a command that must succeed: what could not be done, for the error. */
  readonly fault?: string
}

/**
 * Runs a command to its end. Never throws for the command's own failure, but with `fault`: look at `code`.
 *
 * @returns code: 127 when the command could not be started, 128 + n when signal n ended it; output: both streams in the order
 *   they came
 */
export async function run(
  command: string,
  args: readonly string[],
  { onLine, timeoutMs, fault, inherit = false, ...options }: RunOptions = {},
): Promise<{ code: number; output: string; stdout: string }> {
  const output = inherit ? 'inherit' : 'pipe'
  const timeout = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const
  const child = spawnGroup(command, args, { ...options, ...timeout, stdio: ['ignore', output, output] })
  const [lines, printed]: [string[], string[]] = [[], []]
  readLines(child, (line, isError) => {
    lines.push(line)
    if (!isError) printed.push(line)
    onLine?.(line)
  })
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      lines.push(error.message)
      resolve(127)
    })
    child.once('close', (status, signal) => resolve(status ?? 128 + constants.signals[signal ?? 'SIGTERM']))
  })
  if (fault !== undefined && code !== 0) throw new Error(`${fault} (${lines.slice(-3).join('\n')})`)
  return { code, output: lines.join('\n'), stdout: printed.join('\n') }
}

/** The end of a command's output, for error messages. */
export const lastLines = (output: string, count = 15): string =>
  output.trimEnd().split('\n').slice(-count).join('\n')
