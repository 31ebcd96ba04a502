import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { withLock } from '../../scripts/lib/lock.ts'

/** Processes that wait for another one look so often: it may die and leave its lock. */
const LOOK_EVERY_MS = 25

/**
 * Makes a file or a folder unless it is there. It appears complete or not at all; processes that want it wait for the one that
 * makes it.
 *
 * @param make makes it at the path that it gets
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
