import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../lib/commands.mjs'
import { DATA_DIR, packageBin, ROOT } from '../lib/paths.mjs'
import type { SuiteResult } from './reporter.ts'
import type { Suite } from './suites.ts'
import { testEnvironment, type Environment } from './parts.ts'

/** What came of a suite. `result`: undefined when mocha wrote none; `boots`: processes that its tests started. */
export type SuiteRun = Awaited<ReturnType<typeof runSuite>>

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
) {
  const { dir, jobs, mochaArgs, isLive } = options
  const name = path.join(dir, title.replaceAll(/[^a-z0-9]/gi, '-'))
  const [resultFile, timesFile, bootsFile] = [`${name}.json`, `${name}.times`, `${name}.boots`]
  const written = { SUITE_RESULT_FILE: resultFile, TEST_BOOTS_FILE: bootsFile, TEST_RUN_DIR: dir }
  const env = { ...testEnvironment(), NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env, ...written }
  const parallel = files.length > 1 && jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  const mocha = [packageBin('mocha'), ...parallel, ...mochaArgs, ...files]
  const startedMs = performance.now()
  const command = ['-c', TIMED, timesFile, process.execPath, ...mocha]
  const { code, output } = await run('sh', command, { cwd: ROOT, env, inherit: isLive })
  const seconds = (performance.now() - startedMs) / 1000
  const json = read(resultFile)
  const result = json === '' ? undefined : (JSON.parse(json) as SuiteResult)
  const boots = read(bootsFile).split('\n').length - 1
  return { title, code, output, result, seconds, cpuSeconds: secondsIn(read(timesFile)), boots }
}

/** @param times a line for the shell and one for its children, each user and system, such as `1m3.250s 0m4.010s` */
const secondsIn = (times: string): number =>
  [...times.matchAll(/(\d+)m([\d.]+)s/g)]
    .slice(2)
    .reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0)

const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
