import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { commandOf, type ServiceKind } from '../../scripts/stack/services.ts'
import { countBoot, programEnvironment } from './environment.ts'
import { keepOutput, type RunningPart } from './running-parts.ts'

/** An api or a worker in its own process, for tests that kill, starve or measure it. */
export type RunningProcess = RunningPart & {
  readonly pid: number
  /** Sends the signal and waits until the process ends. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  kill(signal: NodeJS.Signals): void
  /** Resolves when the process has ended without a signal of the test. */
  readonly exited: Promise<number | null>
}

const READY_WITHIN = { timeoutMs: 30_000, intervalMs: 50 }

type StartOptions = {
  readonly waitUntilReady?: boolean
  readonly dir?: string | undefined
  readonly fileLimit?: number
}

/**
 * Starts the built api (`server`) or worker on its environment's port or a free one, and waits until it is ready. A
 * boot keeps a core busy for more than a second. The process is a plain child in mocha's process group, not a service
 * of the supervisor (startService). So a test can end and signal it alone, and a leftover process ends with mocha.
 *
 * @param options dir: the folder of another build than ours; fileLimit: how many files the process may open
 */
export async function startProcess(
  kind: ServiceKind,
  environment: Record<string, string>,
  { waitUntilReady = true, dir = process.cwd(), fileLimit }: StartOptions = {},
): Promise<RunningProcess> {
  const settings = { ...programEnvironment(), ...environment }
  const { name, command, args, env, url, isReady } = await commandOf(kind, settings)
  const plain = [command, ...args] as const
  const limited = ['sh', '-c', `ulimit -n ${fileLimit}; exec "$0" "$@"`, ...plain] as const
  const [program, ...more] = fileLimit === undefined ? plain : limited
  countBoot()
  const child = spawn(program, more, { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const output = () => Buffer.concat(chunks).toString('utf8')
  const ended = keepOutput(`${name}-process`, output)
  const exited = once(child, 'exit').then(([code]) => {
    ended()
    return code as number | null
  })
  async function isReadyOrOver(): Promise<boolean> {
    if (child.exitCode !== null) throw new Error('the process ended')
    return isReady()
  }
  if (waitUntilReady)
    await waitUntil(url, isReadyOrOver, READY_WITHIN).catch((cause: unknown) => {
      child.kill('SIGKILL')
      throw new Error(`${url} was not ready:\n${output()}`, { cause })
    })
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
