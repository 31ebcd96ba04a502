import path from 'node:path'
import { run } from '../lib/commands.ts'
import { DATA_DIR, packageBin, ROOT } from '../lib/paths.mjs'
import { readWholeLines } from '../lib/processes.ts'
import { formatTable } from '../lib/progress.ts'
import { testEnvironment, type Environment } from './parts.ts'
import type { MochaResult } from './reporter.ts'
import type { Suite } from './suites.ts'

/** Node keeps compiled code here for later processes of the tests, which halves the time to load a stack. */
const COMPILE_CACHE = path.join(DATA_DIR, 'compile-cache')

/** How many failed tests the end of a run names: with the lines around them they fit into the last 20 lines. */
const NAMED_AT_THE_END = 12

/** What a test file cost. `folder`: such as `test/db`; `cpuS`: of its process, and of the children that it waited for; `boots`: processes that it started. */
export type FileCost = { folder: string; fromMs: number; toMs: number; cpuS: number; boots: number }

/** `dir`: for result files; `jobs`: how many files run at once; `onLine`: gets what mocha prints, in place of the terminal. */
type How = {
  readonly env: Environment
  readonly dir: string
  readonly jobs: number
  readonly mochaArgs: readonly string[]
  readonly onLine?: (line: string) => void
}

/** The outcome of one mocha. `mark`: see Suite; `result`: undefined when mocha wrote none. */
type MochaRun = Awaited<ReturnType<typeof runMocha>>

/** Runs test files in one mocha, whose processes load the product once. A failed test throws nothing: look at the result. */
export async function runMocha({ title, mark }: Suite, files: readonly string[], how: How) {
  const { dir, jobs, mochaArgs, onLine } = how
  const name = path.join(dir, title.replaceAll(/[^a-z0-9]/gi, '-'))
  const [resultFile, costsFile] = [`${name}.json`, `${name}.costs.jsonl`]
  const written = { MOCHA_RESULT_FILE: resultFile, TEST_COSTS_FILE: costsFile, TEST_RUN_DIR: dir }
  const env = { ...testEnvironment(), NODE_COMPILE_CACHE: COMPILE_CACHE, ...how.env, ...written }
  const parallel = files.length > 1 && jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  const mocha = [packageBin('mocha'), ...parallel, ...mochaArgs, ...files]
  const { code } = await run(process.execPath, mocha, { cwd: ROOT, env, onLine, inherit: !onLine })
  const [result] = readWholeLines<MochaResult>(resultFile)
  return { mark, code, result, costs: readWholeLines<FileCost>(costsFile) }
}

/** Adds up what passed and failed in a run. */
export class Results {
  #passed = 0
  readonly #failed: string[] = []
  readonly #rows: string[][] = [['folder', 'passed', 'seconds', 'CPU s', 'processes']]

  readonly pass = (): void => void this.#passed++

  /** @param name what failed, and why if that is short */
  fail(name: string): void {
    this.#failed.push(name)
  }

  get isGood(): boolean {
    return this.#failed.length === 0
  }

  /**
   * Adds a run of mocha. A run that fails without a failed test (it crashed, a file could not be read) is one failure. So is a run
   * that wrote no result: with files side by side mocha may end with code 0 although the process of one file crashed.
   *
   * @returns whether all is well
   */
  addRun({ mark, code, result, costs }: MochaRun): boolean {
    const { passed, failed } = result ?? { passed: {}, failed: [] }
    for (const [name, ofFolder] of Map.groupBy(costs, ({ folder }) => folder)) {
      const sum = (of: (cost: FileCost) => number) => ofFolder.reduce((total, cost) => total + of(cost), 0)
      const [from, to] = [ofFolder.map(({ fromMs }) => fromMs), ofFolder.map(({ toMs }) => toMs)]
      const seconds = (Math.max(...to) - Math.min(...from)) / 1000
      const figures = [passed[name] ?? 0, seconds, sum(({ cpuS }) => cpuS), sum(({ boots }) => boots)]
      this.#rows.push([name + mark, ...figures.map((figure) => figure.toFixed(0))])
    }
    for (const count of Object.values(passed)) this.#passed += count
    this.#failed.push(...failed.map((name) => name.replace(':', `${mark}:`)))
    if (result === undefined) this.fail(`mocha${mark} (no result, exit code ${code})`)
    else if (code !== 0 && failed.length === 0) this.fail(`mocha${mark} (exit code ${code})`)
    return code === 0 && failed.length === 0 && result !== undefined
  }

  /**
   * The table of folders and the failures, a line each, and the count as the last line. A run that ended badly has
   * failed once at least.
   *
   * @param code with which the run ends
   * @param logsDir where the logs of failed tests are, if there are any
   */
  summary(code: number, logsDir?: string): string {
    const failed = this.#failed.map((name) => `✗ ${name}`)
    const early = failed.splice(NAMED_AT_THE_END)
    return [
      ...early,
      '',
      formatTable(this.#rows),
      '',
      ...failed,
      ...(logsDir === undefined ? [] : [`Logs of the processes of failed tests: ${logsDir}`]),
      '',
      `${this.#passed} passed, ${Math.max(this.#failed.length, code === 0 ? 0 : 1)} failed`,
    ].join('\n')
  }
}
