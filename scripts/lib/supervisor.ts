import type { ChildProcess } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { constants } from 'node:os'
import { lastLines } from './commands.ts'
import { endAllGroups, endGroup, isToldToEnd, killAllGroups, readLines, spawnGroup } from './processes.ts'

/** One Ctrl-C can arrive twice (npm passes it on as well). Only a signal later than this kills everything at once. */
const IMPATIENCE_MS = 1000

export type Service = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number
  /** Gets every line that the service prints. */
  readonly logFile?: string
  readonly onLine?: (line: string) => void
}

type Cleanup = (code: number) => unknown

export type Supervisor = {
  /** Starts a service that must not end by itself. @returns its pid */
  start(service: Service): number
  /** Tells one service to stop. @returns its exit code; null when its grace was over and it was killed */
  end(pid: number): Promise<number | null>
  /** Ends one service as a crash would: SIGKILL, without any grace. */
  kill(pid: number): Promise<void>
  /** Runs after every process has ended, last registered first, with the exit code. */
  onCleanup(cleanup: Cleanup): void
}

/** The options of every launcher of a server. */
export type ServerOptions = {
  readonly supervisor: Pick<Supervisor, 'start'>
  /** For settings and data. */
  readonly dir: string
  readonly logFile: string
  readonly env: NodeJS.ProcessEnv
  /** False (tests): a commit may be lost when the machine dies. */
  readonly isDurable: boolean
}

/**
 * Runs `main` as the program until it returns or throws, a service ends by itself, or a stop signal comes. Then it ends
 * every process it started in reverse order, runs the clean-ups and exits: with what main returned, 1 after a
 * failure (one clear line on stderr), 128 + n after signal n.
 */
export async function runSupervised(main: (supervisor: Supervisor) => Promise<number>): Promise<never> {
  const cleanups: Cleanup[] = []
  const { promise: broken, reject: fail } = Promise.withResolvers<never>()
  const stopped = stopSignal()
  const supervisor: Supervisor = {
    start: (service) => startService(service, fail),
    end: endGroup,
    kill: async (pid) => void (await endGroup(pid, 'SIGKILL')),
    onCleanup: (cleanup) => void cleanups.unshift(cleanup),
  }
  const code = await Promise.race([main(supervisor), broken, stopped]).catch((error: unknown) => {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`)
    return 1
  })
  await endAllGroups()
  for (const cleanup of cleanups)
    await Promise.resolve(code)
      .then(cleanup)
      .catch((error: unknown) => console.error(String(error)))
  process.exit(code)
}

/** @returns the exit code of the first stop signal */
function stopSignal(): Promise<number> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (firstAt === undefined) console.error(`\n${signal}: stopping`)
        firstAt ??= performance.now()
        if (performance.now() - firstAt > IMPATIENCE_MS) killAllGroups()
        resolve(128 + constants.signals[signal])
      })
    }
  })
}

/** @param fail gets an error that says why the service cannot be started, or ended without being told to */
function startService(service: Service, fail: (error: Error) => void): number {
  const { name, command, args, env, cwd, graceMs } = service
  const child = spawnGroup(command, args, { name, env, cwd, graceMs })
  const recent = keepLines(child, service)
  child.once('error', (error) => fail(new Error(`${name} could not be started: ${error.message}`)))
  child.once('close', (status, signal) => {
    if (isToldToEnd(child)) return
    const cause = signal ? `signal ${signal}` : `exit code ${status}`
    const what = `${name} ended by itself (${cause}), so everything is stopped.`
    fail(new Error(`${what} Its last lines:\n${lastLines(recent.join('\n')) || '(none)'}`))
  })
  return child.pid ?? 0
}

/** Hands a child's lines to the log file and the listener, and returns a list of the last ones. */
function keepLines(child: ChildProcess, { logFile, onLine }: Service): readonly string[] {
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  const recent: string[] = []
  readLines(child, (line) => {
    if (recent.push(line) > 15) recent.shift()
    log?.write(`${line}\n`)
    onLine?.(line)
  })
  child.once('close', () => log?.end())
  return recent
}
