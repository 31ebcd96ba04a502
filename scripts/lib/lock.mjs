import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isRunning, processIdentity } from './process-identity.mjs'
import { waitUntil } from './ready.mjs'

/** So that two parts of this process may ask for one lock at once. */
let asked = 0

/**
 * A lock file holds its owner's identity as JSON and may hold more.
 *
 * @typedef {{ owner: import('./process-identity.mjs').ProcessIdentity }} LockContent
 */

/**
 * Reads a lock.
 *
 * @param {string} file
 * @returns {Promise<(LockContent & Record<string, any>) | undefined>} undefined when there is none that can be read
 */
export async function readLock(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Takes a lock for this process, or tells who has it. A lock of a process that is gone is taken over.
 *
 * @param {string} file
 * @returns {Promise<{ isMine: true, previous: Record<string, any> | undefined } | { isMine: false, holder: Record<string, any> }>}
 *   previous: what a dead owner left in it
 */
export async function takeLock(file) {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${file}.${process.pid}.${++asked}`
  await writeFile(mine, JSON.stringify({ owner: processIdentity(process.pid) }), { mode: 0o600 })
  /** @type {Record<string, any> | undefined} */
  let previous
  try {
    for (;;) {
      const isMine = await link(mine, file).then(
        () => true,
        (error) => {
          if (error.code !== 'EEXIST') throw error
          return false
        },
      )
      if (isMine) return { isMine, previous }
      const holder = await readLock(file)
      if (holder && isRunning(holder.owner)) return { isMine: false, holder }
      previous = (await removeStale(file)) ?? previous
    }
  } finally {
    await rm(mine, { force: true })
  }
}

/**
 * Moves a dead owner's lock aside. If another process has taken it over meanwhile, that one gets it back.
 *
 * @param {string} file
 * @returns {Promise<Record<string, any> | undefined>} what was in it
 */
async function removeStale(file) {
  const aside = `${file}.stale.${process.pid}`
  try {
    await rename(file, aside)
  } catch {
    return undefined
  }
  const content = await readLock(aside)
  if (content && isRunning(content.owner)) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
  return content
}

/**
 * Writes into a lock that this process holds. A reader sees the old content or the new one, never a part.
 *
 * @param {string} file
 * @param {Record<string, unknown>} more
 * @returns {Promise<void>}
 */
export async function writeLock(file, more) {
  const next = `${file}.next`
  await writeFile(next, JSON.stringify({ owner: processIdentity(process.pid), ...more }), { mode: 0o600 })
  await rename(next, file)
}

/** @param {string} file of a lock this process holds @returns {Promise<void>} */
export const releaseLock = (file) => rm(file, { force: true })

/**
 * Does a work that one process at a time may do, after those that came before.
 *
 * @template T
 * @param {string} file the lock
 * @param {() => Promise<T>} work
 * @param {{ what?: string, timeoutMs?: number, intervalMs?: number, onWait?: () => void }} [options] what: the work of the others,
 *   for the error; timeoutMs: by default it waits as long as they take; onWait: called at each look at a lock that is taken
 * @returns {Promise<T>}
 * @throws {Error} when timeoutMs are over, and what the work throws
 */
export async function withLock(file, work, { what = file, timeoutMs = Infinity, intervalMs, onWait } = {}) {
  async function isMine() {
    const taken = await takeLock(file)
    if (!taken.isMine) onWait?.()
    return taken.isMine
  }
  await waitUntil(what, isMine, { timeoutMs, intervalMs })
  try {
    return await work()
  } finally {
    await releaseLock(file)
  }
}
