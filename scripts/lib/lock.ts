import { link, rename, rm } from 'node:fs/promises'
import { readJson, writePrivate } from './private-files.ts'
import { isRunning, processIdentity, type ProcessIdentity } from './process-identity.ts'
import { waitUntil } from './ready.ts'

/** What a lock file holds. Its owner may add a text for those who find it taken. */
type LockContent = { readonly owner: ProcessIdentity; readonly summary?: string }

/** Numbers the temporary files, so that two parts of this process may ask for one lock at once. */
let asked = 0

/**
 * Takes a lock for this process, unless another one has it. A lock of a process that is gone is taken over.
 *
 * @returns whether it is ours
 */
export async function takeLock(file: string): Promise<boolean> {
  const mine = `${file}.${process.pid}.${++asked}`
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

/** Moves a dead owner's lock aside. If another process has taken it over meanwhile, that one gets it back. */
async function removeStale(file: string): Promise<void> {
  const aside = `${file}.stale.${process.pid}`
  await rename(file, aside).catch(() => undefined)
  const content = await readJson<LockContent>(aside)
  if (content && isRunning(content.owner)) await link(aside, file).catch(() => undefined)
  await rm(aside, { force: true })
}

/** Gives up a lock that this process holds. */
export const releaseLock = (file: string): Promise<void> => rm(file, { force: true })

type LockOptions = {
  /** What the caller waits for, named in the error; by default the file. */
  readonly what?: string
  /** By default it waits without limit. */
  readonly timeoutMs?: number
  readonly intervalMs?: number
  /** Called at each look at a lock that is taken. */
  readonly onWait?: () => void
}

/**
 * Does work that only one process at a time may do, once the lock is free.
 *
 * @throws Error after `timeoutMs`, and what the work throws
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  { what = file, onWait, timeoutMs = Infinity, intervalMs = 100 }: LockOptions = {},
): Promise<T> {
  async function isMine() {
    const isTaken = await takeLock(file)
    if (!isTaken) onWait?.()
    return isTaken
  }
  await waitUntil(what, isMine, { timeoutMs, intervalMs })
  try {
    return await work()
  } finally {
    await releaseLock(file)
  }
}
