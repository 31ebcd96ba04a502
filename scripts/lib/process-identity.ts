import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Identifies a process, so that it is not confused with a later one of the same id. */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string }

/**
 * When a process started, as the system tells it: clock ticks since boot from /proc on Linux (field 22 of /proc/PID/stat,
 * proc(5)), elsewhere what `ps` prints.
 *
 * @returns undefined when there is no such process
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
