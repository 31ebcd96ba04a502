import type { RunningPart } from './outputs.ts'
import { START_WITHIN_MS } from './use-stack.ts'

/**
 * Starts an api or a worker before the tests of the surrounding `describe`, on a stack that they use, and stops it after them.
 *
 * @returns gives it inside tests
 */
export function usePart<T extends RunningPart>(start: () => Promise<T>): () => T {
  let running: T | undefined
  before(async function () {
    this.timeout(START_WITHIN_MS)
    running = await start()
  })
  after(() => running?.stop())
  return () => {
    if (running === undefined) throw new Error('it is there inside tests only')
    return running
  }
}
