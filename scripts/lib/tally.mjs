/**
 * @typedef {{ passes: number, failures: number, failed: readonly string[] }} SuiteResult as the mocha reporter writes it
 */

/**
 * Adds up what passed and failed. Each sum is changed in one step, after the result is known: otherwise works that run
 * side by side would overwrite each other's sums.
 */
export function createTally() {
  const sum = { passed: 0, failed: 0 }
  /** @type {string[]} */
  const names = []
  /** @type {string[]} */
  const notes = []
  return {
    /** @param {string} text what the reader must know at the end of the run, although nothing failed */
    note: (text) => void notes.push(text),
    pass: () => void sum.passed++,
    /** @param {string} name */
    fail(name) {
      sum.failed++
      names.push(name)
    },
    /**
     * Adds a suite. A mocha that fails without a failed test (it crashed, something was left open) is one failure. So is one
     * that wrote no result: with files side by side it may end with code 0 when the process of one file has crashed.
     *
     * @param {string} title
     * @param {number} code exit code of its mocha
     * @param {SuiteResult | undefined} result undefined: there is none
     * @returns {boolean} whether all is well
     */
    addSuite(title, code, result) {
      const { passes, failures, failed } = result ?? { passes: 0, failures: 0, failed: [] }
      const isCrash = result === undefined || (code !== 0 && failures === 0)
      sum.passed += passes
      sum.failed += isCrash ? 1 : failures
      const how = result === undefined ? `no result, exit code ${code}` : `exit code ${code}`
      names.push(...failed, ...(isCrash ? [`${title} (${how})`] : []))
      return code === 0 && failures === 0 && !isCrash
    },
    isGood: () => sum.failed === 0 && names.length === 0,
    /**
     * The notes and the failures, a line each, and the count as the last line. A run that ended badly has failed once at least.
     *
     * @param {number} code with which the run ends
     * @returns {string}
     */
    summary(code) {
      const failed = Math.max(sum.failed, code === 0 ? 0 : 1)
      return [
        ...notes,
        ...names.map((name) => `✗ ${name}`),
        '',
        `${sum.passed} passed, ${failed} failed`,
      ].join('\n')
    },
  }
}
