import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from '../hostile/figures.mjs'

/** The processes whose cost is measured, and the two that make the load. */
export const SERVICE_PARTS = /** @type {const} */ (['api', 'worker', 'database', 'temporal'])

/** @typedef {Record<string, number>} PerProcess */

/**
 * @param {ReadonlyMap<string, number>} pids by name
 * @returns {Promise<PerProcess>} seconds of processor time so far; a process that does not run is left out
 */
export const readCpu = (pids) => readEach(pids, (pid) => cpuSeconds({ pid }))

/** The service is at rest when it uses less than this share of a core for so long. */
const REST_SHARE = 0.2
const REST_MS = 250

/**
 * Waits until the service is at rest: Temporal goes on for seconds after a burst was delivered, at the cost of whatever is
 * measured next.
 *
 * @param {ReadonlyMap<string, number>} pids by name
 * @param {number} limitMs the wait ends then in any case
 */
export async function untilAtRest(pids, limitMs) {
  const endMs = performance.now() + limitMs
  const used = async () => Object.values(await readCpu(pids)).reduce((sum, seconds) => sum + seconds, 0)
  for (let before = await used(); performance.now() < endMs;) {
    await sleep(REST_MS)
    const now = await used()
    if (now - before < (REST_SHARE * REST_MS) / 1000) return
    before = now
  }
}

/**
 * @param {ReadonlyMap<string, number>} pids by name
 * @returns {Promise<PerProcess>} the most memory that each had at once, in MiB
 */
export const readPeaks = (pids) =>
  readEach(pids, async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  })

/**
 * Makes `readPeaks` count from now on. Where the system forbids it, peaks go on counting from the start.
 *
 * @param {ReadonlyMap<string, number>} pids by name
 */
export async function resetPeaks(pids) {
  // 5 resets the peak: proc(5).
  for (const pid of pids.values()) await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
}

/**
 * @param {PerProcess} before
 * @param {PerProcess} after
 * @param {number} events
 * @returns {PerProcess} seconds of processor time for 1,000 events
 */
export const cpuPerThousand = (before, after, events) =>
  Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [
      name,
      ((seconds - (before[name] ?? 0)) * 1000) / Math.max(1, events),
    ]),
  )

/** @param {ReadonlyMap<string, number>} pids @param {(pid: number) => Promise<number>} read @returns {Promise<PerProcess>} */
async function readEach(pids, read) {
  /** @type {PerProcess} */
  const values = {}
  for (const [name, pid] of pids) {
    const value = await read(pid).catch(() => undefined)
    if (value !== undefined) values[name] = value
  }
  return values
}
