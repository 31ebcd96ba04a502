import { link, rename, rm } from 'node:fs/promises'
import { readJson, writePrivate } from './private-files.ts'
import { isRunning, processIdentity, type ProcessIdentity } from './processes.ts'
import { waitUntil } from './ready.ts'

/** What a lock file holds. Its owner may add a text for those who find it taken. */
type LockContent = { readonly owner: ProcessIdentity; readonly summary?: string }

/** Counts the tries to take a lock. It makes names of temporary files unique, for two tries of this process at once. */
let tries = 0

/** Takes a lock for this process, unless another process that still runs has it. @returns whether it is ours */
export async function takeLock(file: string): Promise<boolean> {
  const mine = `${file}.${process.pid}.${++tries}`
  await writePrivate(mine, JSON.stringify({ owner: processIdentity(process.pid) }))
  try {
    for (;;) {
      try {
        await link(mine, file)
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const holder = await readJson<LockContent>(file)
      if (holder && isRunning(holder.owner)) return false
      await removeStale(file)
    }
  } finally {
    await rm(mine, { force: true })
  }
}

/** Moves a dead owner's lock aside. If what it moved is the lock of another process, taken meanwhile, it puts that back. */
async function removeStale(file: string): Promise<void> {
  const aside = `${file}.stale.${process.pid}`
  await rename(file, aside).catch(() => undefined)
  const content = await readJson<LockContent>(aside)
  if (content && isRunning(content.owner)) await link(aside, file).catch(() => undefined)
  await rm(aside, { force: true })
}

/** Gives up a lock that this process holds. */
export const releaseLock = (file: string): Promise<void> => rm(file, { force: true })

type LockOptions = { what?: string; timeoutMs?: number; intervalMs?: number; onWait?: () => void }

/**
 * Does work that only one process at a time may do, once the lock is free. By default it waits without limit. `onWait` is called
 * each time the lock is found taken.
 *
 * @throws Error that names `what` it waited for, after `timeoutMs`, and what the work throws
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { what = file, onWait, timeoutMs = Infinity, intervalMs = 100 }: LockOptions = {},
): Promise<T> {
  async function tryToTake() {
    const isOurs = await takeLock(file)
    if (!isOurs) onWait?.()
    return isOurs
  }
  await waitUntil(what, tryToTake, { timeoutMs, intervalMs })
  try {
    return await work()
  } finally {
    await releaseLock(file)
  }
}
