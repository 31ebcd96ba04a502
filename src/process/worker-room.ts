import { filesForWork, RESERVED_FILES } from './file-limit.ts'

/** How much a worker does at once; each is a socket. */
export type WorkerRoom = {
  /** Attempts on the wire. */
  readonly attempts: number
  /** Test events on the wire. */
  readonly tests: number
  /** Connections to endpoints that are kept for their next request. */
  readonly idleConnections: number
}

/** Room with enough files. Attempts and tests are fewer than the slots for activities: the rest is for short ones. */
const FULL_ROOM: WorkerRoom = { attempts: 320, tests: 40, idleConnections: 512 }
const FILES_FOR_FULL_ROOM = RESERVED_FILES + FULL_ROOM.attempts + FULL_ROOM.tests + FULL_ROOM.idleConnections
/** Shares of attempts and tests when files are short; idle connections get the rest. */
const ATTEMPT_SHARE = 0.6
const TEST_SHARE = 0.1

/**
 * Fits what a worker does at once into its limit of open files, so that it never runs out of them. A delivery that finds
 * no room waits in the outbox, as for any slot.
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
