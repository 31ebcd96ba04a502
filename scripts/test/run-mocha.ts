import path from 'node:path'
import { run } from '../lib/commands.ts'
import { DATA_DIR, packageBin, ROOT } from '../lib/paths.mjs'
import { readWholeLines } from '../lib/processes.ts'
import type { MochaResult } from './reporter.ts'
import type { FileCost } from './results.ts'
import type { Suite } from './suites.ts'
import { testEnvironment, type Environment } from './parts.ts'

/** Node keeps what it compiles here, so that every process of the tests but the first one reads it: half of what loading a stack costs. */
const COMPILE_CACHE = path.join(DATA_DIR, 'compile-cache')

/** What came of a mocha. `mark`: follows the names of its folders; `result`: undefined when mocha wrote none. */
export type MochaRun = Awaited<ReturnType<typeof runMocha>>

type OnLine = (line: string) => void
type How = { env: Environment; dir: string; jobs: number; mochaArgs: readonly string[]; onLine?: OnLine }

/**
 * Runs test files in one mocha, whose processes take one file after the other: each loads the product once. Never throws for a
 * test's failure: look at the result.
 *
 * @param how env: what tests read; dir: for the files with the results; jobs: files side by side; onLine: gets what mocha prints;
 *   without it mocha writes to the terminal itself
 */
export async function runMocha({ title, mark }: Suite, files: readonly string[], how: How) {
  const { dir, jobs, mochaArgs, onLine } = how
  const name = path.join(dir, title.replaceAll(/[^a-z0-9]/gi, '-'))
  const [resultFile, costsFile] = [`${name}.json`, `${name}.costs.jsonl`]
  const written = { MOCHA_RESULT_FILE: resultFile, TEST_COSTS_FILE: costsFile, TEST_RUN_DIR: dir }
  const env = { ...testEnvironment(), NODE_COMPILE_CACHE: COMPILE_CACHE, ...how.env, ...written }
  const parallel = files.length > 1 && jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  const mocha = [packageBin('mocha'), ...parallel, ...mochaArgs, ...files]
  const shown = onLine === undefined ? { inherit: true } : { onLine }
  const { code } = await run(process.execPath, mocha, { cwd: ROOT, env, ...shown })
  const [result] = readWholeLines<MochaResult>(resultFile)
  return { mark, code, result, costs: readWholeLines<FileCost>(costsFile) }
}
