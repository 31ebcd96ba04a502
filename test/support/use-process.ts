import type { RunningProcess } from './processes.ts'
import { START_WITHIN_MS } from './use-stack.ts'

/**
 * Starts an api or a worker before the tests of the surrounding `describe`, on a stack that they use, and stops it after them.
 *
 * @returns gives the process inside tests
 */
export function useProcess(start: () => Promise<RunningProcess>): () => RunningProcess {
  let running: RunningProcess | undefined
  before(async function () {
    this.timeout(START_WITHIN_MS)
    running = await start()
  })
  after(() => running?.stop())
  return () => {
    if (running === undefined) throw new Error('the process is there inside tests only')
    return running
  }
}
