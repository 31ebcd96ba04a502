import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { SeededRandom } from '../soak/random.ts'
import { ensurePackages } from './build.mjs'
import { run as runCommand } from './lib/commands.ts'
import { COMPILER, DATA_DIR, packageBin, ROOT } from './lib/paths.mjs'
import { createProgress } from './lib/progress.ts'
import { runSupervised } from './lib/supervisor.ts'
import { findTodaysTemporal } from './lib/temporal/find.ts'
import { createParts, makeTestDirectory, testEnvironment, type Environment } from './test/parts.ts'
import { Results, runMocha } from './test/mocha.ts'
import { chooseSuites, parseOptions, type Folder, type Suite } from './test/suites.ts'

/** What must hold besides the tests. Types have one checker: each of several would check again what they share. */
const CHECKS = [
  { title: 'lint', program: packageBin('oxlint'), args: ['--deny-warnings'] },
  { title: 'types', program: COMPILER, args: ['--noEmit', '--checkers', '1'] },
  { title: 'types of web', program: COMPILER, args: ['--noEmit', '--checkers', '1', '-p', 'web'] },
  { title: 'format', program: packageBin('oxfmt'), args: ['--check'] },
  { title: 'knip', program: packageBin('knip'), args: [] },
]

/** How many files run side by side: two for each core, because tests wait as much as they compute. */
const { TEST_JOBS = 2 * availableParallelism(), TEST_SEED } = process.env

const progress = createProgress()
const results = new Results()
/** Gets the logs of failed tests, and stays. */
const logsDir = path.join(DATA_DIR, 'test-logs', String(process.pid))

await runSupervised(async (supervisor) => {
  supervisor.onCleanup((code) =>
    console.log(results.summary(code, existsSync(logsDir) ? logsDir : undefined)),
  )
  const options = parseOptions(process.argv.slice(2))
  await ensurePackages(progress)
  const suites = chooseSuites(options)
  const dir = await makeTestDirectory(supervisor)
  const bring = createParts(supervisor, dir, progress)
  // Go takes minutes to build it, so it begins now, after A's Temporal. B comes last: it finds it in the cache, or says what failed.
  const needed = suites.flatMap(({ folders }) => folders.flatMap(({ parts }) => parts))
  if (needed.includes('Temporal of today'))
    void bring(needed.filter((part) => part === 'Temporal'))
      .then(() => findTodaysTemporal({ env: testEnvironment() }))
      .catch(() => undefined)
  const checks = options.hasChecks && TEST_SEED === undefined ? CHECKS : []
  /** While checks run too, what mocha prints goes through `progress`, which keeps its own line apart. */
  const shown = checks.length === 0 ? {} : { onLine: progress.print }

  async function run(suite: Suite): Promise<void> {
    const folders = await Promise.all(suite.folders.map(prepare))
    const env = Object.assign({ TEST_LOGS_DIR: logsDir }, ...folders.map(({ parts }) => parts)) as Environment
    const files = folders.flatMap((folder) => folder.files)
    if (files.length === 0) return
    // npm run test:shake names a seed: then they begin in another order.
    const order = TEST_SEED === undefined ? files : new SeededRandom(TEST_SEED).shuffled(files)
    const how = { env, dir, jobs: Number(TEST_JOBS), mochaArgs: options.mochaArgs, ...shown }
    const test = async () => results.addRun(await runMocha(suite, order, how))
    await progress.step(suite.title, test, { isLive: false, isGood: (isWell) => isWell })
  }

  /** Brings what the tests of a folder need. If something cannot be had, these tests have failed, and the others run. */
  async function prepare({ title, parts, files }: Folder) {
    try {
      return { files, parts: await bring(parts) }
    } catch (error) {
      tell(title, error)
      return { files: [], parts: {} }
    }
  }

  await Promise.all([
    inTurn(checks, (check) => progress.step(check.title, () => runCheck(check)).then(results.pass)),
    inTurn(suites, run),
  ])
  return results.isGood ? 0 : 1
})

/** Does one work after the other. Reports a work that throws as failed, and goes on with the others. */
async function inTurn<T extends { title: string }>(all: readonly T[], work: (one: T) => Promise<void>) {
  for (const one of all) await work(one).catch((error: unknown) => tell(one.title, error))
}

/** @throws Error with what the check printed */
async function runCheck({ title, program, args }: (typeof CHECKS)[number]): Promise<void> {
  // The checks allocate much for a short time. With this room V8 collects garbage less often, which saves a sixth of their time.
  const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --max-semi-space-size=128`
  const { code, output } = await runCommand(program, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS },
  })
  if (code !== 0) throw new Error(output || `${title} ended with exit code ${code}`)
}

function tell(title: string, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  progress.print(message)
  results.fail(`${title}: ${message.trim().split('\n')[0]}`)
}
