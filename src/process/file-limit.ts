import { readFileSync } from 'node:fs'

/**
 * Files that a process keeps for itself: about 45 for Node, Temporal and what it listens on, 16 connections to the database,
 * 32 of probes, and the rest for name servers, single files and a moment in which a closed socket is not gone yet.
 */
export const RESERVED_FILES = 128
/** With fewer left for its work a process does not start. */
const FEWEST_FILES = 16

/**
 * How many files and sockets this process may have open. Node raises the limit as far as it may when it starts.
 *
 * @returns Infinity where the system does not say (it does on Linux)
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
 * How many of them its work may use. A process whose file table is full cannot be relied on: it may not even log why,
 * and Node ends when it needs a new thread. So it opens no more than this from the start.
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
