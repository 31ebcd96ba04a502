import { availableParallelism } from 'node:os'
import path from 'node:path'
import { releaseLock, takeLock } from '../../scripts/lib/lock.mjs'
import { requiredEnv } from './environment.ts'

/**
 * How many processes may boot at the same time in a whole test run. A boot keeps a core busy for more than a second, so
 * many at once starve the processes that other tests measure.
 */
const PLACES = availableParallelism()
const LOOK_EVERY_MS = 25

/** Callers of this process, one after the other: a lock knows processes only. */
let formerCaller: Promise<unknown> = Promise.resolve()

/** Boots a process once there is a place for it. The place is free again when `boot` ends. */
export async function inBootPlace<T>(boot: () => Promise<T>): Promise<T> {
  const place = formerCaller.then(takePlace)
  formerCaller = place.catch(() => undefined)
  const file = await place
  try {
    return await boot()
  } finally {
    await releaseLock(file)
  }
}

async function takePlace(): Promise<string> {
  const dir = requiredEnv('TEST_RUN_DIR')
  for (;;) {
    for (let place = 0; place < PLACES; place++) {
      const file = path.join(dir, `boot-place-${place}`)
      if ((await takeLock(file)).isMine) return file
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
