import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

/** How long mocha may stay alive after its last test; it exits by itself once nothing is left open. */
const LINGER_MS = Number(process.env.SUITE_LINGER_MS ?? 15_000)

/** Characters of a line of an error that the end of a run repeats. */
const REASON_LENGTH = 250

/**
 * Mocha's spec reporter that also writes {passes, failures, failed} to the file SUITE_RESULT_FILE. `failed` holds the
 * title of each failed test and why it failed. It also ends a run that keeps something open (a connection, a timer, a
 * server), which counts as a failure.
 */
export default class SuiteReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    const file = process.env.SUITE_RESULT_FILE
    const failed = []
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error) =>
      failed.push(withReason(test.fullTitle(), error)),
    )
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = runner.stats
      if (file) writeFileSync(file, JSON.stringify({ passes, failures, failed }))
      // Unreferenced: it fires only when something else keeps the process alive.
      setTimeout(() => {
        console.error(`The tests ended but left open: ${process.getActiveResourcesInfo().join(', ')}`)
        process.on('exit', () => (process.exitCode = 1)) // mocha's own exit listener sets the code of the tests alone
        process.exit()
      }, LINGER_MS).unref()
    })
  }
}

/**
 * Adds the first and the last line of an error's message. An error about a process that ended says so in its first line
 * and then quotes what the process printed.
 *
 * @param {string} title
 * @param {unknown} error
 * @returns {string}
 */
function withReason(title, error) {
  const lines = String(error?.message ?? error ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const reason = [...new Set([lines[0], lines.at(-1)])]
    .map((line) => line?.slice(0, REASON_LENGTH))
    .join(' … ')
  return reason === '' ? title : `${title}: ${reason}`
}
