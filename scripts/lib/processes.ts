import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { waitUntil } from './ready.ts'

/** Identifies a process, so that it is not confused with a later one of the same id. */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string }

/**
 * When a process started, if there is one, as the system tells it: clock ticks since boot from /proc on Linux (field 22 of
 * /proc/PID/stat, proc(5)), elsewhere what `ps` prints.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' }).trim() || undefined
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // the name may hold spaces and brackets
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

export const processIdentity = (pid: number): ProcessIdentity => ({
  pid,
  startedAt: processStartTime(pid) ?? '',
})

/** Whether the process is still running, and its id belongs to no later one. */
export const isRunning = ({ pid, startedAt }: ProcessIdentity): boolean =>
  startedAt !== '' && processStartTime(pid) === startedAt

/**
 * Every child runs in a process group of its own: a Ctrl-C in the terminal reaches only us, and ending the group ends
 * the child's own children too. The keys are the ids of the leaders, in the order of their start; groups end in reverse.
 */
const groups = new Map<number, { child: ChildProcess; ended: Promise<unknown>; graceMs: number }>()
const told = new WeakSet<ChildProcess>()
let closed = false

/** Longer than any program's own grace period, so that we notice a process that outlives its own. */
const GRACE_MS = 60_000

/** The environment variable that names the records to programs that we start, which write their own groups into them too. */
const RECORDS_VARIABLE = 'PROCESS_GROUP_RECORDS'
const records = (process.env[RECORDS_VARIABLE] ?? '').split(path.delimiter).filter((file) => file !== '')

// Whatever ends this process (an uncaught error, process.exit), no child outlives it.
process.on('exit', killAllGroups)

/**
 * From now on writes every group to a file too, as a line of JSON. Programs that inherit our environment write theirs into it as
 * well. If this run or such a program is killed, endLeftovers can end its groups.
 */
export function recordGroupsIn(file: string): void {
  records.push(file)
  process.env[RECORDS_VARIABLE] = records.join(path.delimiter)
}

type GroupOptions = SpawnOptions & { name?: string; graceMs?: number | undefined }

/** Starts a command as the leader of a group. `name`: for the record; `graceMs`: until SIGKILL. @throws Error after endAllGroups */
export function spawnGroup(
  command: string,
  args: readonly string[],
  { name = path.basename(command), graceMs = GRACE_MS, ...options }: GroupOptions = {},
): ChildProcess {
  if (closed) throw new Error(`${command} was not started: everything is being stopped`)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true })
  const { pid } = child
  if (pid === undefined) return child
  child.once('exit', () => {
    signalGroup(pid, 'SIGKILL') // what it started itself ends with it
    groups.delete(pid)
  })
  groups.set(pid, { child, ended: new Promise((resolve) => child.once('exit', resolve)), graceMs })
  // One write appends the whole line, so that lines of several processes do not mix.
  const line = `${JSON.stringify({ name, ...processIdentity(pid) })}\n`
  for (const file of records) appendFileSync(file, line, { mode: 0o600 })
  return child
}

/** Hands each line that a child prints to `onLine`, in the order they come. */
export function readLines(child: ChildProcess, onLine: (line: string, isError: boolean) => void): void {
  for (const input of [child.stdout, child.stderr])
    if (input) createInterface({ input }).on('line', (line) => onLine(line, input === child.stderr))
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

/** Ends one group: the signal, its grace, then SIGKILL. @returns the exit code of its leader; null when a signal ended it */
export async function endGroup(pid = 0, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const group = groups.get(pid)
  if (group === undefined) return null
  told.add(group.child)
  signalGroup(pid, signal)
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), group.graceMs)
  await group.ended
  clearTimeout(timer)
  return group.child.exitCode
}

/** Whether the leader of a group was told to end, alone or with all others. */
export const isToldToEnd = (child: ChildProcess): boolean => closed || told.has(child)

/** Ends all groups one after the other, the youngest first, and lets no new one start. */
export async function endAllGroups(): Promise<void> {
  closed = true
  for (const pid of [...groups.keys()].reverse()) await endGroup(pid)
}

/** Kills whatever is still alive without any grace; endAllGroups then has nothing left to wait for. */
export function killAllGroups(): void {
  for (const pid of groups.keys()) signalGroup(pid, 'SIGKILL')
}

/**
 * Ends the processes that a killed run, or a killed program within a run, left behind: those of its record
 * (recordGroupsIn) that still have the same id and start time. The youngest ends first, by SIGTERM and then SIGKILL. A
 * program among them may start others until it has ended, so the record is then read again. Removes the record.
 *
 * @returns the names of those that were ended
 */
export async function endLeftovers(file: string, graceMs = 15_000): Promise<string[]> {
  const ended = new Map<string, string>()
  const keyOf = ({ pid, startedAt }: ProcessIdentity) => `${pid} ${startedAt}`
  const isLeft = (each: ProcessIdentity) => isRunning(each) && !ended.has(keyOf(each))
  const listLeft = () => readWholeLines<ProcessIdentity & { name: string }>(file).filter(isLeft).reverse()
  for (let left = listLeft(); left.length > 0; left = listLeft())
    for (const leftover of left) {
      ended.set(keyOf(leftover), leftover.name)
      const isGone = () => !isRunning(leftover)
      signalGroup(leftover.pid, 'SIGTERM')
      await waitUntil(leftover.name, isGone, { timeoutMs: graceMs, intervalMs: 20 }).catch(() => undefined)
      signalGroup(leftover.pid, 'SIGKILL')
      await waitUntil(leftover.name, isGone, { timeoutMs: 5000, intervalMs: 20 }).catch(() => undefined)
    }
  await rm(file, { force: true })
  return [...ended.values()]
}

/** Reads a file with JSON in each line; [] when it is not there. Skips lines that are not whole: a kill may have cut the last one. */
export const readWholeLines = <T>(file: string): T[] =>
  (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []).flatMap((line) => {
    try {
      return [JSON.parse(line) as T]
    } catch {
      return []
    }
  })
