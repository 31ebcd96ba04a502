import type { MochaRun } from './run-mocha.ts'

/** How many failed tests the end of a run names: with the lines around them they fit into the last 20 lines. */
const NAMED_AT_THE_END = 12

/** What a test file cost. `folder`: such as `test/db`; `cpuS`: of its process, and of the children that it waited for; `boots`: processes that it started. */
export type FileCost = { folder: string; fromMs: number; toMs: number; cpuS: number; boots: number }

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

/** @param rows the first is the head; the first column is text, the others are numbers */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[column]!)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
