import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { inBootPlace } from './boot-places.ts'

export type RunningProcess = {
  readonly pid: number
  /** Where it answers, for example http://127.0.0.1:4000. */
  readonly url: string
  /** Everything it has printed so far. */
  output(): string
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has ended by itself. */
  readonly exited: Promise<number | null>
}

const READY_WITHIN_MS = 30_000

type StartOptions = {
  readonly waitUntilReady?: boolean
  readonly dir?: string
  readonly fileLimit?: number
}

/**
 * Starts the built api (`server`) or worker on a free port, or on the one that its environment names, and waits until it is
 * ready. A process that is waited for boots when few others do.
 *
 * @param options dir: where another build than ours is; fileLimit: how many files it may open
 */
export async function startProcess(
  kind: 'server' | 'worker',
  environment: Record<string, string>,
  options: StartOptions = {},
): Promise<RunningProcess> {
  const start = () => spawnProcess(kind, environment, options)
  return options.waitUntilReady === false ? start() : inBootPlace(start)
}

async function spawnProcess(
  kind: 'server' | 'worker',
  environment: Record<string, string>,
  { waitUntilReady = true, dir = process.cwd(), fileLimit }: StartOptions,
): Promise<RunningProcess> {
  const portVariable = kind === 'server' ? 'PORT' : 'WORKER_PORT'
  const port = environment[portVariable] ?? String((await freePorts([0]))[0])
  const command = [process.execPath, `dist/${kind}.js`] as const
  const limited = ['sh', '-c', `ulimit -n ${fileLimit}; exec "$0" "$@"`, ...command] as const
  const [program, ...args] = fileLimit === undefined ? command : limited
  const child = spawn(program, args, {
    cwd: dir,
    env: { PATH: process.env['PATH'], ...environment, [portVariable]: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const output = () => Buffer.concat(chunks).toString('utf8')
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const url = `http://127.0.0.1:${port}`
  if (waitUntilReady) await waitUntilReadyAt(`${url}/readyz`, child, output)
  return {
    pid: child.pid!,
    url,
    output,
    exited,
    kill: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
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
