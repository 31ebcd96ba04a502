import { readdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/** The smallest value that at least this share (0.99 for p99) of the values does not exceed; NaN without values. */
export const percentile = (values: readonly number[], share: number): number =>
  Float64Array.from(values).sort()[Math.max(0, Math.ceil(values.length * share) - 1)] ?? NaN

/** Milliseconds; NaN without values, which is null in JSON. */
export type Times = ReturnType<typeof summarise>

export function summarise(milliseconds: readonly number[]) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(milliseconds, share))
  return { count: milliseconds.length, p50: p50!, p95: p95!, p99: p99! }
}

/** The middle value, or the mean of the two in the middle; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = (sorted.length - 1) / 2
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/**
 * Seconds of the machine's steady clock. All processes of a machine read the same clock, so a time that one process wrote
 * down can be compared with a time of another.
 */
export const steadySeconds = (): number => Number(process.hrtime.bigint()) / 1e9

/** The processes of the service, whose cost is measured. */
export const SERVICE_PARTS = ['api', 'worker', 'database', 'temporal'] as const

/** By the name of the process; `api-2` counts as `api`. A process that does not run has no entry. */
export type PerProcess = Readonly<Record<string, number>>
export type Pids = ReadonlyMap<string, number>

async function readEach(pids: Pids, read: (pid: number) => Promise<number>): Promise<PerProcess> {
  const values: Record<string, number> = {}
  for (const [process, pid] of pids) {
    const name = process.replace(/-\d+$/, '')
    const value = await read(pid).catch(() => undefined)
    if (value !== undefined) values[name] = (values[name] ?? 0) + value
  }
  return values
}

/** Clock ticks a second in /proc: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time so far. */
export const readCpu = (pids: Pids): Promise<PerProcess> =>
  readEach(pids, async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold spaces; user and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  })

/** A number in /proc/…/status. @param task such as 17, or 17/task/18 for one of its threads */
async function statusOf(task: string, field: string): Promise<number> {
  const status = await readFile(`/proc/${task}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
}

/** The memory of each process now, in MiB. */
export const readMemory = (pids: Pids): Promise<PerProcess> =>
  readEach(pids, async (pid) => (await statusOf(`${pid}`, 'VmRSS')) / 1024)

/** The most memory that each process had at once, in MiB. */
export const readPeaks = (pids: Pids): Promise<PerProcess> =>
  readEach(pids, async (pid) => (await statusOf(`${pid}`, 'VmHWM')) / 1024)

/** Makes `readPeaks` count from now on. Where the system forbids it, peaks go on counting from the start. */
export async function resetPeaks(pids: Pids): Promise<void> {
  // 5 resets the peak: proc(5).
  for (const pid of pids.values()) await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
}

/** How often each process went to sleep and was woken so far, over all of its threads. */
export const readWakeUps = (pids: Pids): Promise<PerProcess> =>
  readEach(pids, async (pid) => {
    const threads = await readdir(`/proc/${pid}/task`)
    const switches = threads.map((thread) => statusOf(`${pid}/task/${thread}`, 'voluntary_ctxt_switches'))
    // A thread may end meanwhile.
    return sum(await Promise.all(switches.map((count) => count.catch(() => 0))))
  })

/** Seconds of processor time for 1,000 events. */
export const cpuPerThousand = (before: PerProcess, after: PerProcess, events: number): PerProcess =>
  Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => {
      return [name, ((seconds - (before[name] ?? 0)) * 1000) / Math.max(1, events)]
    }),
  )

/** The service is at rest when it uses less than REST_SHARE of a core for REST_MS. */
const REST_SHARE = 0.2
const REST_MS = 250

/**
 * Waits until the service is at rest, at most `limitMs`: Temporal works for seconds after a burst was delivered, which would
 * slow down whatever is measured next.
 */
export async function untilAtRest(pids: Pids, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs
  const used = async () => sum(Object.values(await readCpu(pids)))
  for (let before = await used(); performance.now() < endMs;) {
    await sleep(REST_MS)
    const now = await used()
    if (now - before < (REST_SHARE * REST_MS) / 1000) return
    before = now
  }
}
