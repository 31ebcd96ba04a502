import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sum } from '../support/figures.ts'
import type { LoadStack } from './stack.ts'

/* What the processes of the service use, from /proc, and what the database counts. */

/** By the name of the process; `api-2` counts as `api`. A process that does not run has no entry. */
export type PerProcess = Readonly<Record<string, number>>
type Pids = LoadStack['pids']

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
const readCpu = (pids: Pids): Promise<PerProcess> =>
  readEach(pids, async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold spaces; user and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  })

/** A number in /proc/…/status. @param task such as 17, or 17/task/18 for one of its threads */
async function statusOf(task: number | string, field: string): Promise<number> {
  const status = await readFile(`/proc/${task}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
}

/** The memory of each process in MiB. @param field VmRSS: now; VmHWM: the most at once */
export const readMemory = (pids: Pids, field: 'VmRSS' | 'VmHWM'): Promise<PerProcess> =>
  readEach(pids, async (pid) => (await statusOf(pid, field)) / 1024)

/** How often each process went to sleep and was woken so far, over all of its threads. */
const readWakeUps = (pids: Pids): Promise<PerProcess> =>
  readEach(pids, async (pid) => {
    const threads = await readdir(`/proc/${pid}/task`)
    const switches = threads.map((thread) => statusOf(`${pid}/task/${thread}`, 'voluntary_ctxt_switches'))
    // A thread may end meanwhile.
    return sum(await Promise.all(switches.map((count) => count.catch(() => 0))))
  })

/** What events cost; lockWaits: how often a statement waited for a row that another one locks. */
export type Costs = Awaited<ReturnType<Awaited<ReturnType<typeof startCosts>>>>

const STATUS = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Innodb_row_lock_waits')"

/**
 * Notes what the processes and the database have used so far. Returns a function that tells what events cost since then, with the
 * idle work of the same time: cpu in seconds for 1,000 events by process; wakeUps and statements for one event, of all processes.
 */
export async function startCosts({ db, pids }: Pick<LoadStack, 'db' | 'pids'>) {
  const read = async () => {
    const [rows] = (await db.raw(STATUS)) as [{ Variable_name: string; Value: string }[]]
    const count = (name: string) => Number(rows.find((row) => row.Variable_name === name)?.Value)
    const [cpu, wakeUps] = await Promise.all([readCpu(pids), readWakeUps(pids)])
    const [statements, lockWaits] = [count('Questions'), count('Innodb_row_lock_waits')]
    return { cpu, wakeUps: sum(Object.values(wakeUps)), statements, lockWaits }
  }
  const before = await read()
  return async (events: number) => {
    const after = await read()
    const each = (from: number, to: number) => (to - from) / Math.max(1, events)
    const cpu: Record<string, number> = {}
    for (const [name, seconds] of Object.entries(after.cpu))
      cpu[name] = each(before.cpu[name] ?? 0, seconds) * 1000
    return {
      cpu,
      wakeUps: each(before.wakeUps, after.wakeUps),
      statements: each(before.statements, after.statements),
      lockWaits: after.lockWaits - before.lockWaits,
    }
  }
}

/** The service is at rest when it uses less than REST_SHARE of a core for REST_MS. */
const REST_SHARE = 0.2
const REST_MS = 250

/**
 * Waits until the service is at rest, at most as long as planned: Temporal works for seconds after a burst was delivered, which
 * would slow down whatever is measured next.
 */
export async function untilAtRest({ pids, plan }: LoadStack): Promise<void> {
  const endMs = performance.now() + plan.longestRestMs
  const used = async () => sum(Object.values(await readCpu(pids)))
  for (let before = await used(); performance.now() < endMs;) {
    await sleep(REST_MS)
    const now = await used()
    if (now - before < (REST_SHARE * REST_MS) / 1000) return
    before = now
  }
}
