import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { withLock } from '../../scripts/lib/lock.ts'

/** How often a waiting process checks the lock, because its owner may die without removing the lock. */
const LOOK_EVERY_MS = 25

/**
 * Makes a file or a folder unless it exists. It appears complete or not at all. Other processes that want it wait for
 * the process that makes it.
 *
 * @param make makes the file or folder at the given path
 */
export async function makeOnce(target: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return
  await withLock(`${target}.lock`, () => makeAlone(target, make), { intervalMs: LOOK_EVERY_MS })
}

async function makeAlone(target: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return
  const draft = `${target}.${process.pid}.draft`
  try {
    await make(draft)
    await rename(draft, target)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
