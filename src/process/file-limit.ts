import { readFileSync } from 'node:fs'

/**
 * Files that a process keeps for itself: about 45 for Node, Temporal and the ports it listens on, 16 connections to the
 * database, 32 of probes. The rest is for name servers, single files and sockets that are just closing.
 */
export const RESERVED_FILES = 128
/** A process does not start with fewer files left for its work. */
const FEWEST_FILES = 16

/**
 * How many files and sockets this process may have open. Node raises the limit as far as it may when it starts.
 *
 * @returns Infinity when the system does not say (Linux does)
 */
export function readFileLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/**
 * How many files the work of the process may use. A process that cannot open files is unreliable: it may not even log
 * why, and Node ends when it needs a new thread. So its work never opens more than this.
 *
 * @throws Error that says what to do, when so few are left that the process cannot work
 */
export function filesForWork(limit: number): number {
  const files = limit - RESERVED_FILES
  if (files >= FEWEST_FILES) return files
  throw new Error(
    `the limit of open files is ${limit}, and this process needs at least ${RESERVED_FILES + FEWEST_FILES}: raise it (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of docker)`,
  )
}
