import type { FileCheck } from '../config/files.ts'
import { ConfigError, readConfig, type Config } from '../config/index.ts'
import type { Log } from '../deps/log.ts'
import { within } from '../domain/within.ts'
import { keepHeapSmall } from './limits.ts'

/**
 * Reads the configuration and checks the files that the process will read. If there are faults, prints all of them and
 * exits with code 2.
 */
export function configOrExit(checkFiles: FileCheck): Config {
  try {
    return readConfig(undefined, checkFiles)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

/** Runs the process. An error ends it with one clear line and exit code 1. Warnings of Node go to the log. */
export function runProcess(log: Log, main: () => Promise<void>): void {
  keepHeapSmall()
  process.removeAllListeners('warning') // Node's own listener prints text to stderr
  process.on('warning', (warning) => log.warn({ err: warning }, warning.message))
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      log.fatal({ err: error }, error instanceof Error ? error.message : 'stopped')
      process.exit(1)
    },
  )
}

/**
 * Listens for SIGTERM and SIGINT. npm passes on the terminal's signal and sends its own, so repeats are ignored. A
 * process that still waits for its parts has nothing to finish and ends at once.
 *
 * @returns `stopped` resolves at the first signal. Call `booted` as soon as a stop must wait for work of this process
 */
export function listenForStop(log: Log) {
  let isBooted = false
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal))
  })
  void stopped.then((signal) => {
    if (isBooted) return
    log.info({ signal }, 'stopped before it was ready')
    process.exit(0)
  })
  return { stopped, booted: () => void (isBooted = true) }
}

/** Added to the grace period, so that work that ends at the last moment is not cut. */
const SETTLE_MS = 1_000

/** Waits for the work under way, for the grace period at most. Work that lasts longer is cut short by the end of the process. */
export async function endWithin(graceMs: number, log: Log, ended: Promise<void>): Promise<'done' | 'cut'> {
  const done = ended.then(() => 'done' as const)
  return within(graceMs + SETTLE_MS, done, () => {
    log.warn('SHUTDOWN_GRACE is over: attempts under way are cut and will be made again')
    return 'cut' as const
  })
}
