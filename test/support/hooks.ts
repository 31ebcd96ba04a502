import path from 'node:path'
import { checkKept, stopKept } from './kept.ts'
import { forgetOutputs, writeOutputs } from './outputs.ts'

/** As long as the stacks that files share have to end. */
const STOP_WITHIN_MS = 60_000

/**
 * Hooks of mocha for all tests. Where files run side by side, mocha calls the last one after
 * each file. What is kept stays up there for the next file, and goes with the process.
 */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    const dir = process.env['TEST_LOGS_DIR']
    const { state, file = 'unknown' } = this.currentTest ?? {}
    if (dir && state === 'failed') await writeOutputs(path.join(dir, path.basename(file, '.ts')))
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(STOP_WITHIN_MS)
    await (process.env['MOCHA_WORKER_ID'] === undefined ? stopKept() : checkKept())
    forgetOutputs()
  },
}
