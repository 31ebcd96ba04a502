import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../lib/commands.mjs'
import { DATA_DIR, packageBin, ROOT } from '../lib/paths.mjs'
import type { SuiteResult } from './reporter.ts'
import type { Suite } from './suites.ts'
import { testEnvironment, type Environment } from './parts.ts'

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

/** Node keeps what it compiles here, so that every process of the tests but the first one reads it: half of what loading a stack costs. */
const COMPILE_CACHE = path.join(DATA_DIR, 'compile-cache')

/** Runs a command, and writes what it and its children computed into the file of its first argument: POSIX `times`. */
const TIMED = 'to=$0; "$@"; code=$?; times > "$to"; exit $code'

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
  const [resultFile, timesFile, bootsFile] = [`${name}.json`, `${name}.times`, `${name}.boots`]
  const named = {
    SUITE_RESULT_FILE: resultFile,
    TEST_BOOTS_FILE: bootsFile,
    TEST_RUN_DIR: dir,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  }
  const env = { ...testEnvironment(), ...options.env, ...named }
  const parallel = files.length > 1 && jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  const mocha = [packageBin('mocha'), ...parallel, ...mochaArgs, ...files]
  const startedMs = performance.now()
  const command = ['-c', TIMED, timesFile, process.execPath, ...mocha]
  const { code, output } = await run('sh', command, { cwd: ROOT, env, inherit: isLive })
  const seconds = (performance.now() - startedMs) / 1000
  const [[json], [, times = ''], { length: boots }] = [resultFile, timesFile, bootsFile].map(linesOf) as [
    string[],
    string[],
    string[],
  ]
  const result = json === undefined ? undefined : (JSON.parse(json) as SuiteResult)
  return { title, code, output, result, seconds, cpuSeconds: secondsIn(times), boots }
}

/** @param times user and system, such as `1m3.250s 0m4.010s` */
const secondsIn = (times: string): number =>
  [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60 * Number(m) + Number(s), 0)

/** @returns none when the file is not there */
const linesOf = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
