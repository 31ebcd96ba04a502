import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { countBoot } from './boots.ts'
import { programEnvironment } from './environment.ts'

/**
 * Runs the built command line on a terminal (that of `script`, which Linux and macOS have), types the answer when it asks,
 * and gives all that the terminal showed.
 *
 * @param question what it prints at the end when it asks
 * @param answer what is typed, control characters included
 */
export async function cliOnTerminal(
  args: readonly string[],
  environment: Record<string, string>,
  { question, answer }: { question: string; answer: string },
): Promise<{ exitCode: number | null; shown: string }> {
  const command = [process.execPath, 'dist/cli.js', ...args]
  const scriptArgs =
    process.platform === 'linux'
      ? ['-qec', command.map((part) => `'${part}'`).join(' '), '/dev/null']
      : ['-q', '/dev/null', ...command]
  countBoot()
  const child = spawn('script', scriptArgs, {
    env: { ...programEnvironment(), TERM: 'dumb', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  let isAnswered = false
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    if (isAnswered || !shown.includes(question)) return
    isAnswered = true
    child.stdin.write(answer)
  })
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, shown }
}
