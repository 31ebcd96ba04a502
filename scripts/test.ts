import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { installPackages, needsPackages } from './lib/packages.mjs'
import { DATA_DIR } from './lib/paths.mjs'
import { createProgress } from './lib/progress.mjs'
import { runSupervised } from './lib/supervisor.mjs'
import { makeTestDirectory } from './lib/test-directory.mjs'
import { CHECKS, runCheck } from './test/checks.ts'
import { beginBuilds, createParts, type Environment } from './test/parts.ts'
import { Results } from './test/results.ts'
import { runMocha } from './test/run-mocha.ts'
import { chooseSuites, parseOptions, type Suite } from './test/suites.ts'

/** Tests wait as much as they compute, so two files run side by side for each core. */
const JOBS = 2 * availableParallelism()

const progress = createProgress()
const results = new Results()
/** Gets the logs of failed tests, and stays. */
const logsDir = path.join(DATA_DIR, 'test-logs', String(process.pid))

await runSupervised(async (supervisor) => {
  supervisor.onCleanup((code: number) => {
    const logs = existsSync(logsDir) ? logsDir : undefined
    console.log(results.summary(code, logs))
  })
  const options = parseOptions(process.argv.slice(2))
  if (await needsPackages()) await progress.step('packages (npm ci)', {}, () => installPackages())
  const suites = await chooseSuites(options)
  const dir = await makeTestDirectory(supervisor)
  const bring = createParts(supervisor, dir, progress)
  beginBuilds(suites)
  const checks = options.hasChecks ? [...CHECKS] : []
  /** Beside the checks, what mocha prints goes through `progress`, which keeps its own line apart. */
  const isAlone = checks.length === 0
  const shown = isAlone ? {} : { onLine: progress.print }

  async function run(suite: Suite): Promise<void> {
    const parts = await Promise.allSettled(suite.parts.map(bring))
    const brought = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
    // The others run; what needs the part fails, and this says why.
    for (const part of parts) if (part.status === 'rejected') tell(suite.title, part.reason)
    const env = Object.assign({ TEST_LOGS_DIR: logsDir }, ...brought) as Environment
    const { mochaArgs } = options
    await progress.step(suite.title, { isLive: false, isGood: (isWell: boolean) => isWell }, async () =>
      results.addRun(await runMocha(suite, { env, dir, jobs: JOBS, mochaArgs, ...shown })),
    )
  }

  await Promise.all([
    inTurn(checks, (check) => progress.step(check.title, {}, () => runCheck(check)).then(results.pass)),
    inTurn(suites, run),
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
      tell(one.title, error)
    }
  }
}

function tell(title: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  progress.print(message)
  results.fail(`${title}: ${message.trim().split('\n')[0]}`)
}
