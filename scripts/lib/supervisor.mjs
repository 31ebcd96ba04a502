import { createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { lastLines } from './commands.mjs'
import { endAllGroups, endGroup, killAllGroups, killGroup, spawnGroup } from './process-groups.mjs'

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

/** One Ctrl-C can arrive twice (npm passes it on as well). Only a signal later than this means «at once». */
const IMPATIENCE_MS = 1000

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [cwd]
 * @property {number} [graceMs] time between SIGTERM and SIGKILL
 * @property {string} [logFile] gets every line
 * @property {(line: string) => void} [onLine]
 *
 * @typedef {(code: number) => unknown} Cleanup gets the exit code
 *
 * @typedef {object} Supervisor
 * @property {(service: Service) => number} start starts a service that must not end by itself; answers its pid
 * @property {(pid: number) => Promise<number | null>} end tells one service to stop and answers its exit code, null when
 *   its grace was over and it was killed
 * @property {(pid: number) => Promise<void>} kill ends one service as a crash would: SIGKILL, without any grace
 * @property {(cleanup: Cleanup) => void} onCleanup runs after every process has ended, last registered first
 * @property {Promise<never>} broken rejects when a service ends by itself
 */

/**
 * Runs `main` as the program until it returns or throws, a service ends by itself, or a stop signal comes. Then it ends
 * every process it started in reverse order, runs the clean-ups and exits: with main's answer, 1 after a failure (one
 * clear line on stderr), 128 + n after signal n.
 *
 * @param {(supervisor: Supervisor) => Promise<number>} main answers the exit code
 * @returns {Promise<void>}
 */
export async function runSupervised(main) {
  /** @type {Cleanup[]} */
  const cleanups = []
  const stopped = stopSignal()
  const services = watchServices()
  const supervisor = {
    start: services.start,
    end: services.end,
    kill: services.kill,
    broken: services.broken,
    onCleanup: (/** @type {Cleanup} */ cleanup) => void cleanups.unshift(cleanup),
  }
  const code = await Promise.race([main(supervisor), services.broken, stopped]).catch((error) => {
    console.error(`\n${error instanceof Error ? error.message : String(error)}`)
    return 1
  })
  services.expectEnd()
  await endAllGroups()
  for (const cleanup of cleanups) {
    await Promise.resolve(code)
      .then(cleanup)
      .catch((error) => console.error(String(error)))
  }
  process.exit(code)
}

/** @returns {Promise<number>} the exit code of the first stop signal */
function stopSignal() {
  return new Promise((resolve) => {
    /** @type {number | undefined} */
    let firstAt
    for (const [signal, number] of Object.entries(SIGNAL_NUMBERS)) {
      process.on(signal, () => {
        if (firstAt === undefined) console.error(`\n${signal}: stopping`)
        firstAt ??= performance.now()
        if (performance.now() - firstAt > IMPATIENCE_MS) killAllGroups()
        resolve(128 + number)
      })
    }
  })
}

function watchServices() {
  let endIsExpected = false
  /** @type {(error: Error) => void} */
  let fail = () => {}
  /** @type {Promise<never>} */
  const broken = new Promise((_resolve, reject) => (fail = reject))
  broken.catch(() => {})
  /** @type {Map<number, import('node:child_process').ChildProcess>} services that were not told to stop */
  const running = new Map()

  /** @param {Service} service */
  function start(service) {
    const { name, command, args, env, cwd, graceMs } = service
    const child = spawnGroup(command, args, { name, env, cwd, graceMs })
    const recent = readLines(child, service)
    if (child.pid !== undefined) running.set(child.pid, child)
    child.once('error', (error) => fail(new Error(`${name} could not be started: ${error.message}`)))
    child.once('close', (status, signal) => {
      if (endIsExpected || (child.pid !== undefined && running.get(child.pid) !== child)) return
      const cause = signal ? `signal ${signal}` : `exit code ${status}`
      fail(
        new Error(
          `${name} ended by itself (${cause}), so everything is stopped. Its last lines:\n${recent()}`,
        ),
      )
    })
    return child.pid ?? 0
  }

  /** @param {number} pid */
  async function end(pid) {
    const child = running.get(pid)
    running.delete(pid)
    await endGroup(pid)
    return child?.exitCode ?? null
  }

  /** @param {number} pid */
  async function kill(pid) {
    running.delete(pid)
    await killGroup(pid)
  }
  return { start, end, kill, broken, expectEnd: () => void (endIsExpected = true) }
}

/**
 * Hands a child's lines to the log file and the listener and remembers the last ones.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {Service} service
 * @returns {() => string}
 */
function readLines(child, { logFile, onLine }) {
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  /** @type {string[]} */
  const recent = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      if (recent.push(line) > 15) recent.shift()
      log?.write(`${line}\n`)
      onLine?.(line)
    })
  }
  child.once('close', () => log?.end())
  return () => lastLines(recent.join('\n')) || '(none)'
}
