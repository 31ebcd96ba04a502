import path from 'node:path'
import { forgetOutputs, writeOutputs } from './outputs.ts'
import { checkSharedStacks, stopSharedStacks } from './shared-stacks.ts'

/** As long as the shared stacks have to end. */
const STOP_WITHIN_MS = 60_000

/**
 * Hooks of mocha for all tests, given to it with `--require`. Where files run side by side, mocha calls the last one after
 * each file. The stacks stay up there for the next file, and go with the process.
 */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    const dir = process.env['TEST_LOGS_DIR']
    const { state, file = 'unknown' } = this.currentTest ?? {}
    if (dir && state === 'failed') await writeOutputs(path.join(dir, path.basename(file, '.ts')))
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(STOP_WITHIN_MS)
    await (process.env['MOCHA_WORKER_ID'] === undefined ? stopSharedStacks() : checkSharedStacks())
    forgetOutputs()
  },
}
