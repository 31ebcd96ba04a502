import { readFileSync } from 'node:fs'

/**
 * Open files that a process keeps for itself. About 45 are for Node, Temporal and its ports, 24 for connections to the
 * database, and 32 for the probes of a worker. The rest is for connections to name servers, for a few files that it
 * reads, and for sockets that are closing.
 */
export const RESERVED_FILES = 128
/** The fewest files for the work itself. With fewer the process does not start. */
const FEWEST_FILES = 16

/**
 * How many files and sockets this process may have open. When Node starts, it raises this limit as far as it may.
 *
 * @returns Infinity when there is no limit, or when the system does not report it (Linux does)
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
 * How many files the work of the process may have open; the caller must keep to it. A process that cannot open files is
 * unreliable. It may not even log why, and Node ends when it needs a new thread.
 *
 * @throws Error that tells the operator what to do, when fewer than FEWEST_FILES are left
 */
export function filesForWork(limit: number): number {
  const files = limit - RESERVED_FILES
  if (files >= FEWEST_FILES) return files
  throw new Error(
    `the limit of open files is ${limit}, and this process needs at least ${RESERVED_FILES + FEWEST_FILES}: raise it (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of docker)`,
  )
}
