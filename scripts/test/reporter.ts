import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

/** Characters of a line of an error that the end of a run repeats. */
const REASON_LENGTH = 250

const { EVENT_RUN_END, EVENT_TEST_FAIL } = Mocha.Runner.constants

/** What a mocha wrote: `failed` holds the title of each failed test and why it failed. */
export type SuiteResult = {
  readonly passes: number
  readonly failures: number
  readonly failed: readonly string[]
}

/** Mocha's spec reporter that also writes a SuiteResult to the file that SUITE_RESULT_FILE names. */
export default class SuiteReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const file = process.env['SUITE_RESULT_FILE']
    const failed: string[] = []
    runner.on(EVENT_TEST_FAIL, (test: Mocha.Test, error: unknown) => {
      failed.push(withReason(test.fullTitle(), error))
    })
    runner.once(EVENT_RUN_END, () => {
      const result: SuiteResult = { passes: this.stats.passes, failures: this.stats.failures, failed }
      if (file !== undefined) writeFileSync(file, JSON.stringify(result))
    })
  }
}

/** Adds the first line of an error's message, and the last one: an error about a process ends with what that printed. */
function withReason(title: string, error: unknown): string {
  const { message = '' } = (error ?? {}) as { message?: string }
  const lines = message.split('\n').filter((line) => line.trim() !== '')
  const ends = [lines.at(0), lines.at(-1)].map((line = '') => line.slice(0, REASON_LENGTH))
  return [title, [...new Set(ends)].join(' … ')].filter((part) => part !== '').join(': ')
}
