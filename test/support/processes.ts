import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { countBoot } from './boots.ts'
import { keepOutput, type RunningPart } from './outputs.ts'

/** An api or a worker that is a process of its own, for tests that kill, starve or measure it. */
export type RunningProcess = RunningPart & {
  readonly pid: number
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has ended by itself. */
  readonly exited: Promise<number | null>
}

const READY_WITHIN_MS = 30_000

type StartOptions = {
  readonly waitUntilReady?: boolean
  readonly dir?: string | undefined
  readonly fileLimit?: number
}

/**
 * Starts the built api (`server`) or worker on a free port, or on the one that its environment names, and waits until it is
 * ready. A boot keeps a core busy for more than a second.
 *
 * @param options dir: where another build than ours is; fileLimit: how many files it may open
 */
export async function startProcess(
  kind: 'server' | 'worker',
  environment: Record<string, string>,
  { waitUntilReady = true, dir = process.cwd(), fileLimit }: StartOptions = {},
): Promise<RunningProcess> {
  const name = kind === 'server' ? 'api' : 'worker'
  const portVariable = kind === 'server' ? 'PORT' : 'WORKER_PORT'
  const port = environment[portVariable] ?? String((await freePorts([0]))[0])
  const command = [process.execPath, `dist/${kind}.js`] as const
  const limited = ['sh', '-c', `ulimit -n ${fileLimit}; exec "$0" "$@"`, ...command] as const
  const [program, ...args] = fileLimit === undefined ? command : limited
  countBoot(name)
  const child = spawn(program, args, {
    cwd: dir,
    env: { PATH: process.env['PATH'], ...environment, [portVariable]: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const output = () => Buffer.concat(chunks).toString('utf8')
  const ended = keepOutput(`${name}-process`, output)
  const exited = once(child, 'exit').then(([code]) => {
    ended()
    return code as number | null
  })
  const url = `http://127.0.0.1:${port}`
  if (waitUntilReady) await waitUntilReadyAt(`${url}/readyz`, child, output)
  return {
    pid: child.pid!,
    url,
    output,
    exited,
    kill: (signal) => void child.kill(signal),
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      return exited
    },
  }
}

async function waitUntilReadyAt(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const untilMs = Date.now() + READY_WITHIN_MS
  while (Date.now() < untilMs) {
    if (child.exitCode !== null) throw new Error(`the process ended:\n${output()}`)
    const isReady = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`not ready at ${url}:\n${output()}`)
}
