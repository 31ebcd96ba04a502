import { flushCompileCache } from 'node:module'
import path from 'node:path'
import './environment.ts'
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
    await writeLogsOf(this.currentTest)
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(STOP_WITHIN_MS)
    const all = this.test?.parent
    await Promise.all((all === undefined ? [] : hooksOf(all)).map(writeLogsOf))
    await (process.env['MOCHA_WORKER_ID'] === undefined ? stopKept() : checkKept())
    forgetOutputs()
    // For the processes that start while this one lives on.
    flushCompileCache()
  },
}

async function writeLogsOf(test: Pick<Mocha.Runnable, 'state' | 'file'> | undefined): Promise<void> {
  const dir = process.env['TEST_LOGS_DIR']
  const { state, file = 'unknown' } = test ?? {}
  if (dir && state === 'failed') await writeOutputs(path.join(dir, path.basename(file, '.ts')))
}

type WithHooks = { getHooks(name: string): readonly Mocha.Hook[] }

/** @returns all hooks of a suite and of those in it: mocha calls no afterEach for a hook that failed */
const hooksOf = (suite: Mocha.Suite): readonly Mocha.Hook[] => [
  ...['beforeAll', 'beforeEach'].flatMap((name) => (suite as unknown as WithHooks).getHooks(name)),
  ...suite.suites.flatMap(hooksOf),
]
