import type { SuiteRun } from './run-suite.ts'

/** Failed tests that the end of a run names: with what stands around them they fit into its last 20 lines. */
const NAMED_AT_THE_END = 12

/** Adds up what passed and failed in a run. */
export class Results {
  #passed = 0
  readonly #failed: string[] = []
  readonly #rows: string[][] = [['suite', 'passed', 'seconds', 'CPU s', 'processes']]

  readonly pass = (): void => void this.#passed++

  /** @param name what failed, and why if that is short */
  fail(name: string): void {
    this.#failed.push(name)
  }

  get isGood(): boolean {
    return this.#failed.length === 0
  }

  /**
   * Adds a suite. A mocha that fails without a failed test (it crashed, a file could not be read) is one failure. So is one that
   * wrote no result: with files side by side it may end with code 0 when the process of one file has crashed.
   *
   * @returns whether all is well
   */
  addSuite({ title, code, result, seconds, cpuSeconds, boots }: SuiteRun): boolean {
    const { passes, failures, failed } = result ?? { passes: 0, failures: 0, failed: [] }
    this.#rows.push([title, ...[passes, seconds, cpuSeconds, boots].map((figure) => figure.toFixed(0))])
    this.#passed += passes
    this.#failed.push(...failed.map((name) => `${title}: ${name}`))
    if (result === undefined) this.fail(`${title} (no result, exit code ${code})`)
    else if (code !== 0 && failures === 0) this.fail(`${title} (exit code ${code})`)
    return code === 0 && failures === 0 && result !== undefined
  }

  /**
   * The table of suites and the failures, a line each, and the count as the last line. A run that ended badly has
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
