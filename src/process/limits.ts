import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

/**
 * How many open files a process keeps for itself. About 45 are for Node, for Temporal and for the ports of the process.
 * 24 are for connections to the database, and 32 for the probes of a worker. The rest is for connections to name
 * servers, for a few files that it reads, and for sockets that are closing.
 */
export const RESERVED_FILES = 128
/** The work itself needs at least this many files. With fewer files the process does not start. */
const FEWEST_FILES = 16

/**
 * How many files and sockets this process may have open. At its start Node has raised this limit as far as the system permits.
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
 * How many files the work of the process may have open; the caller must not open more. A process that cannot open files
 * is unreliable. It may not even log why, and Node ends when it needs a new thread.
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

/** How much a worker does at once. Each attempt, test and idle connection is a socket. */
export type WorkerRoom = {
  /** At most this many attempts are on the wire. */
  readonly attempts: number
  /** At most this many test events are on the wire. */
  readonly tests: number
  /** At most this many connections to endpoints are kept for a next request. */
  readonly idleConnections: number
}

/**
 * The room of a process with enough files. Attempts and tests together stay below ACTIVITY_SLOTS (temporal/worker.ts),
 * so that short activities find slots.
 */
const FULL_ROOM: WorkerRoom = { attempts: 320, tests: 40, idleConnections: 512 }
const FILES_FOR_FULL_ROOM = RESERVED_FILES + FULL_ROOM.attempts + FULL_ROOM.tests + FULL_ROOM.idleConnections
/** The shares of attempts and tests when files are short; idle connections get the rest. */
const ATTEMPT_SHARE = 0.6
const TEST_SHARE = 0.1

/**
 * Fits what a worker does at once into its limit of open files, so that the worker never runs out of files. A delivery
 * that finds no room waits in the outbox, in the same way as one that finds no slot.
 *
 * @returns the room, with a warning when it is not the full one
 * @throws Error when the limit is too low for any work
 */
export function fitWorkerRoom(fileLimit: number): { room: WorkerRoom; warnings: string[] } {
  const files = filesForWork(fileLimit)
  if (fileLimit >= FILES_FOR_FULL_ROOM) return { room: FULL_ROOM, warnings: [] }
  const attempts = Math.min(FULL_ROOM.attempts, Math.floor(files * ATTEMPT_SHARE))
  const tests = Math.min(FULL_ROOM.tests, Math.floor(files * TEST_SHARE))
  return {
    room: { attempts, tests, idleConnections: files - attempts - tests },
    warnings: [
      `the limit of open files (${fileLimit}) leaves room for ${attempts} attempts at once in place of ${FULL_ROOM.attempts}: raise it to ${FILES_FOR_FULL_ROOM} or more`,
    ],
  }
}

/**
 * How much the heap may grow before the next full collection, in percent of what survived the last one. By default Node
 * lets a small heap grow to several times that size, so most of a busy process's memory is garbage.
 */
const HEAP_GROWTH_PERCENT = 30

/** Makes this process and its threads collect garbage earlier. This is no limit: a heap that needs more memory gets it. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
}
