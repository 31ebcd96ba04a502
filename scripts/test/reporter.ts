import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'
import { folderOf } from './suites.ts'

/** Characters of a line of an error that the end of a run repeats. */
const REASON_LENGTH = 250

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS } = Mocha.Runner.constants

/** What a mocha wrote. `passed`: how many by folder of test/; `failed`: folder, title and why, for each failed test. */
export type MochaResult = { passed: Record<string, number>; failed: string[] }

/** Mocha's spec reporter that also writes a MochaResult to the file that MOCHA_RESULT_FILE names. */
export default class FolderReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const file = process.env['MOCHA_RESULT_FILE']
    const result: MochaResult = { passed: {}, failed: [] }
    const { passed, failed } = result
    runner.on(EVENT_TEST_PASS, (test: Mocha.Test) => {
      const folder = folderOf(test.file)
      passed[folder] = (passed[folder] ?? 0) + 1
    })
    runner.on(EVENT_TEST_FAIL, (test: Mocha.Test, error: unknown) => {
      failed.push(`${folderOf(test.file)}: ${withReason(test.fullTitle(), error)}`)
    })
    if (file !== undefined) runner.once(EVENT_RUN_END, () => writeFileSync(file, JSON.stringify(result)))
  }
}

/** Adds the first line of an error's message, and the last one: an error about a process ends with what that printed. */
function withReason(title: string, error: unknown): string {
  const { message = '' } = (error ?? {}) as { message?: string }
  const lines = message.split('\n').filter((line) => line.trim() !== '')
  const ends = [lines.at(0), lines.at(-1)].map((line = '') => line.slice(0, REASON_LENGTH))
  return [title, [...new Set(ends)].join(' … ')].filter((part) => part !== '').join(': ')
}
