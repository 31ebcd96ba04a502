import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from './commands.mjs'
import { packageBin, ROOT } from './paths.mjs'
import { titleOf } from './suites.mjs'
import { usingTemporal } from './test-imports.mjs'
import { testEnvironment } from './test-servers.mjs'

const REPORTER = './scripts/lib/mocha-reporter.mjs'

/**
 * @typedef {object} RunOptions
 * @property {ReturnType<typeof import('./test-servers.mjs').createTestServers>} servers
 * @property {ReturnType<typeof import('./tally.mjs').createTally>} tally
 * @property {ReturnType<typeof import('./progress.mjs').createProgress>} progress
 * @property {string[]} mochaArgs what the user added
 * @property {Record<string, string>} env what tests read
 * @property {string} dir for the files with the results
 * @property {boolean} isLive the suite runs alone and writes as it goes; else what it wrote is printed when it has ended
 * @property {string} on names the database where there are two
 */

/**
 * Runs one suite in a mocha process of its own and adds its tests to the tally. The suite gets a Temporal server of its
 * own if one of its tests uses it.
 *
 * @param {import('./suites.mjs').Suite} suite
 * @param {RunOptions} options
 * @returns {Promise<boolean>} whether all is well
 */
export function runSuite(suite, options) {
  const { servers, tally, progress, isLive, on } = options
  const title = `${titleOf(suite)}${on}`
  const isGood = (/** @type {boolean} */ isWell) => isWell
  return progress.step(title, { isLive: !isLive, isGood }, async () => {
    if ((await usingTemporal(suite.files)).length === 0) return runMocha(suite, title, options)
    return servers.withTemporal(async (temporal, answers) => {
      const isWell = await runMocha(suite, title, { ...options, env: { ...options.env, ...temporal } })
      if (!(await answers())) tally.note(`!!! The Temporal server of ${title} no longer answered at its end.`)
      return isWell
    })
  })
}

/**
 * @param {import('./suites.mjs').Suite} suite
 * @param {string} title
 * @param {RunOptions} options
 * @returns {Promise<boolean>}
 */
async function runMocha(suite, title, { tally, progress, mochaArgs, env, dir, isLive }) {
  const resultFile = path.join(dir, `${title.replaceAll(/[^a-z0-9]/gi, '-')}.json`)
  const sideBySide = suite.jobs > 1 ? ['--parallel', '--jobs', String(suite.jobs)] : []
  const args = [packageBin('mocha'), '--reporter', REPORTER, ...sideBySide, ...mochaArgs, ...suite.files]
  const all = {
    ...testEnvironment(),
    ...env,
    ...suite.env,
    SUITE_RESULT_FILE: resultFile,
    TEST_RUN_DIR: dir,
  }
  const { code, output } = await run(process.execPath, args, {
    cwd: ROOT,
    env: all,
    inherit: isLive,
  })
  if (!isLive) progress.print(output)
  const result = await readFile(resultFile, 'utf8').catch(() => undefined)
  return tally.addSuite(title, code, result === undefined ? undefined : JSON.parse(result))
}
