import path from 'node:path'
import { run } from '../lib/commands.ts'
import { DATA_DIR, packageBin, ROOT } from '../lib/paths.mjs'
import { readWholeLines } from '../lib/processes.ts'
import type { MochaResult } from './reporter.ts'
import type { FileCost } from './results.ts'
import type { Suite } from './suites.ts'
import { testEnvironment, type Environment } from './parts.ts'

/** Node keeps compiled code here for later processes of the tests, which halves the time to load a stack. */
const COMPILE_CACHE = path.join(DATA_DIR, 'compile-cache')

/** The outcome of one mocha. `mark`: see Suite; `result`: undefined when mocha wrote none. */
export type MochaRun = Awaited<ReturnType<typeof runMocha>>

type OnLine = (line: string) => void
type How = { env: Environment; dir: string; jobs: number; mochaArgs: readonly string[]; onLine?: OnLine }

/**
 * Runs test files in one mocha. Each of its processes loads the product once, and takes one file after the other. A
 * failed test throws nothing: look at the result.
 *
 * @param how env: variables for the tests; dir: for result files; jobs: how many files run at once; onLine: gets the
 *   lines that mocha prints; without it mocha writes to the terminal
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
