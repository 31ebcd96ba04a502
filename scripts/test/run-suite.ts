import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../lib/commands.mjs'
import { packageBin, ROOT } from '../lib/paths.mjs'
import type { FileFigures } from './figures.ts'
import type { SuiteResult } from './reporter.ts'
import type { Suite } from './suites.ts'
import { testEnvironment, type Environment } from './servers.ts'

/** What came of a suite. `result`: undefined when mocha wrote none; `boots`: processes that its tests started. */
export type SuiteRun = {
  readonly title: string
  readonly code: number
  readonly result: SuiteResult | undefined
  readonly seconds: number
  readonly cpuSeconds: number
  readonly boots: number
  readonly output: string
}

/** Root hooks: mocha reads these files in each of its processes. */
const HOOKS = ['./scripts/test/figures.ts'].flatMap((file) => ['--require', file])

/**
 * Runs test files in a mocha of their own. Never throws for a test's failure: look at the result.
 *
 * @param options env: what tests read; dir: for the files with the results; jobs: files side by side; isLive: mocha writes to the
 *   terminal as it goes, and the output stays empty
 */
export async function runSuite(
  { title, files }: Suite,
  options: { env: Environment; dir: string; jobs: number; mochaArgs: readonly string[]; isLive: boolean },
): Promise<SuiteRun> {
  const { dir, jobs, mochaArgs, isLive } = options
  const name = path.join(dir, title.replaceAll(/[^a-z0-9]/gi, '-'))
  const [resultFile, figuresFile, bootsFile] = [`${name}.json`, `${name}.figures`, `${name}.boots`]
  const env = {
    ...testEnvironment(),
    ...options.env,
    SUITE_RESULT_FILE: resultFile,
    TEST_FIGURES_FILE: figuresFile,
    TEST_BOOTS_FILE: bootsFile,
    TEST_RUN_DIR: dir,
  }
  const parallel = files.length > 1 && jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  const args = [...HOOKS, '--reporter', './scripts/test/reporter.ts', ...parallel, ...mochaArgs, ...files]
  const startedMs = performance.now()
  const command = [packageBin('mocha'), ...args]
  const { code, output } = await run(process.execPath, command, { cwd: ROOT, env, inherit: isLive })
  const [result, figures, boots] = await Promise.all([resultFile, figuresFile, bootsFile].map(linesOf))
  const costs = figures!.map((line) => JSON.parse(line) as FileFigures)
  return {
    title,
    code,
    output,
    result: result![0] === undefined ? undefined : (JSON.parse(result![0]) as SuiteResult),
    seconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: costs.reduce((sum, file) => sum + file.cpuSeconds, 0),
    boots: boots!.length,
  }
}

/** @returns none when the file is not there */
const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
