import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { createContext } from './lib/find.mjs'
import { installPackages, needsPackages } from './lib/packages.mjs'
import { DATA_DIR } from './lib/paths.mjs'
import { createProgress } from './lib/progress.mjs'
import { runSupervised } from './lib/supervisor.mjs'
import { findTodaysTemporal } from './lib/temporal/find.mjs'
import { makeTestDirectory } from './lib/test-directory.mjs'
import { CHECKS, runCheck } from './test/checks.ts'
import { createParts, testEnvironment, type Environment } from './test/parts.ts'
import { Results } from './test/results.ts'
import { runSuite } from './test/run-suite.ts'
import { chooseSuites, parseOptions, type Suite } from './test/suites.ts'

/** Tests wait as much as they compute, so two files run side by side for each core, in two suites at a time. */
const FILES_AT_ONCE = 2 * availableParallelism()
const SUITES_AT_ONCE = 2

const progress = createProgress()
const results = new Results()
/** Gets the logs of failed tests, and stays. */
const logsDir = path.join(DATA_DIR, 'test-logs', String(process.pid))

await runSupervised(async (supervisor) => {
  supervisor.onCleanup((code) =>
    console.log(results.summary(code, existsSync(logsDir) ? logsDir : undefined)),
  )
  const options = parseOptions(process.argv.slice(2))
  if (await needsPackages()) await progress.step('packages (npm ci)', {}, () => installPackages())
  const suites = await chooseSuites(options)
  const isLive = suites.length === 1
  const jobs = Math.floor(FILES_AT_ONCE / Math.min(SUITES_AT_ONCE, suites.length))
  const dir = await makeTestDirectory(supervisor)
  const bring = createParts(supervisor, dir, progress)
  // Go takes minutes for it. The suites that need it come last; they find it in the cache, and tell why it could not be had.
  if (suites.some(({ parts }) => parts.includes('Temporal of today')))
    void findTodaysTemporal(createContext({ env: testEnvironment() })).catch(() => undefined)

  async function run(suite: Suite): Promise<void> {
    const parts = await Promise.all(suite.parts.map(bring))
    const env = Object.assign({ TEST_LOGS_DIR: logsDir }, ...parts) as Environment
    await progress.step(suite.title, { isLive: !isLive, isGood: (isWell: boolean) => isWell }, async () => {
      const ran = await runSuite(suite, { env, dir, jobs, mochaArgs: options.mochaArgs, isLive })
      if (!isLive) progress.print(ran.output)
      return results.addSuite(ran)
    })
  }

  await Promise.all([
    inTurn(options.hasChecks ? [...CHECKS] : [], (check) =>
      progress.step(check.title, {}, () => runCheck(check)).then(results.pass),
    ),
    ...Array.from({ length: SUITES_AT_ONCE }, () => inTurn(suites, run)),
  ])
  return results.isGood ? 0 : 1
})

/** Does one work after the other and takes each off the queue. What throws has failed; it is told, and the others go on. */
async function inTurn<T extends { title: string }>(
  queue: T[],
  work: (one: T) => Promise<void>,
): Promise<void> {
  for (let one = queue.shift(); one; one = queue.shift()) {
    try {
      await work(one)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      progress.print(message)
      results.fail(`${one.title}: ${message.trim().split('\n')[0]}`)
    }
  }
}
