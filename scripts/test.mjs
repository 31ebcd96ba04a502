import { availableParallelism } from 'node:os'
import { build } from './build.mjs'
import { findBrowser } from './lib/browser.mjs'
import { run } from './lib/commands.mjs'
import { createContext } from './lib/find.mjs'
import { installPackages, needsPackages } from './lib/packages.mjs'
import { COMPILER, packageBin, ROOT } from './lib/paths.mjs'
import { runQueues } from './lib/pool.mjs'
import { createProgress } from './lib/progress.mjs'
import { runSuite } from './lib/run-suite.mjs'
import {
  chooseDirectSuites,
  chooseSuites,
  isBeside,
  listTestFiles,
  needsBrowser,
  needServers,
  parseTestArgs,
} from './lib/suites.mjs'
import { runSupervised } from './lib/supervisor.mjs'
import { createTally } from './lib/tally.mjs'
import { usingDatabase } from './lib/test-imports.mjs'
import { makeTestDirectory } from './lib/test-directory.mjs'
import { createTestServers } from './lib/test-servers.mjs'

/** What must hold besides the tests. One checker of types: several would check what they share once each. */
const CHECKS = [
  { title: 'lint', program: packageBin('eslint'), args: ['.', '--max-warnings=0'] },
  { title: 'lint with types', program: packageBin('oxlint'), args: ['--deny-warnings'] },
  { title: 'types', program: COMPILER, args: ['--noEmit', '--checkers', '1'] },
  { title: 'types of web', program: COMPILER, args: ['--noEmit', '--checkers', '1', '-p', 'web'] },
  { title: 'format', program: packageBin('oxfmt'), args: ['--check'] },
  { title: 'knip', program: packageBin('knip'), args: [] },
]

/** The checks allocate much for a short time: with this room V8 collects less often, which saves a sixth of their time. */
const LARGE_YOUNG_SPACE = '--max-semi-space-size=128'

/** Suites wait for timers more than they compute, so two can run side by side even on one core. */
const LONG_SUITES_AT_ONCE = Math.max(2, Math.min(4, availableParallelism()))

const progress = createProgress()
const tally = createTally()

await runSupervised(async (supervisor) => {
  supervisor.onCleanup((/** @type {number} */ code) => console.log(tally.summary(code)))
  const { databases, isDirect, wanted, mochaArgs } = parseTestArgs(process.argv.slice(2))
  if (await needsPackages()) await progress.step('packages (npm ci)', {}, () => installPackages())
  const files = await listTestFiles()
  const isAll = wanted.length === 0 && !isDirect
  const choose = isDirect ? chooseDirectSuites : chooseSuites
  // Once more with direct first attempts, when there is time for everything. They come first, because they must not run
  // beside the suite that measures times.
  const again = isAll && databases === 'both' ? chooseDirectSuites(files, []) : []
  const suites = await withBrowser([...again, ...choose(files, wanted)])
  const onMysql =
    databases === 'found'
      ? []
      : choose(await usingDatabase(files), wanted).filter((suite) => !needsBrowser(suite))
  const dir = await makeTestDirectory(supervisor)
  const servers = createTestServers({ supervisor, dir, progress })
  const mysql = databases === 'mysql' ? await servers.findMysql() : undefined
  const built = count('build', build) // the checks need no build and run beside it
  if (databases !== 'mysql') {
    const checks = isAll ? CHECKS : []
    /** @type {Promise<Record<string, string>> | undefined} */
    let launched
    const launch = () => (launched ??= built.then(() => (needServers(suites) ? servers.any() : {})))
    await runSuites({ suites, checks, mochaArgs, dir, servers, launch })
  }
  await built
  if (databases !== 'found') await runOnMysql({ servers, mysql, suites: onMysql, mochaArgs, dir })
  return tally.isGood() ? 0 : 1
})

/**
 * Gives the suite that drives a browser its program. If none can be had, the run says so and leaves the suite out.
 *
 * @param {import('./lib/suites.mjs').Suite[]} suites
 */
async function withBrowser(suites) {
  if (!suites.some(needsBrowser)) return suites
  try {
    const program = await progress.step('looking for a browser', {}, (onUpdate) =>
      findBrowser(createContext({ onUpdate })),
    )
    return suites.map((suite) =>
      needsBrowser(suite) ? { ...suite, env: { ...suite.env, TEST_BROWSER: program } } : suite,
    )
  } catch (error) {
    tally.note(`!!! Browser suite skipped: ${error instanceof Error ? error.message : String(error)}`)
    return suites.filter((suite) => !needsBrowser(suite))
  }
}

/**
 * @typedef {ReturnType<typeof createTestServers>} Servers
 * @param {{ suites: import('./lib/suites.mjs').Suite[], checks?: typeof CHECKS, mochaArgs: string[], dir: string,
 *   servers: Servers, launch: () => Promise<Record<string, string>>, on?: string }} options launch: builds, launches what
 *   the suites need and gives what tests read, each time the same; on: names the database where there are two
 */
async function runSuites({ suites, checks = [], mochaArgs, dir, servers, launch, on = '' }) {
  const isLive = suites.length === 1 && checks.length === 0
  const work = (/** @type {import('./lib/suites.mjs').Suite} */ suite) => async () =>
    runSuite(suite, { servers, tally, progress, mochaArgs, env: await launch(), dir, isLive, on })
  const long = suites.filter((suite) => !isBeside(suite)).map(work)
  const beside = [...checks.map((check) => () => runCheck(check)), ...suites.filter(isBeside).map(work)]
  const runners = Array.from({ length: LONG_SUITES_AT_ONCE }, () => [long, beside])
  await runQueues([...runners, [beside, long]])
}

/**
 * Runs the suites that need a database on MySQL. If MySQL cannot be had and was not asked for alone, the run says so and
 * goes on.
 */
async function runOnMysql({ servers, mysql, suites, mochaArgs, dir }) {
  try {
    mysql ??= await servers.findMysql()
  } catch (error) {
    tally.note(`!!! MySQL suites skipped: ${error instanceof Error ? error.message : String(error)}`)
    return
  }
  const on = ` on MySQL ${'version' in mysql ? mysql.version : '(TEST_DATABASE_URL)'}`
  const env = await servers.mysql(mysql)
  await runSuites({ suites, mochaArgs, dir, servers, launch: () => Promise.resolve(env), on })
}
/**
 * Runs one step that passes or fails as a whole; a failure is printed and counted, and the run goes on.
 *
 * @param {string} title
 * @param {() => Promise<unknown>} work
 */
async function count(title, work) {
  try {
    await progress.step(title, {}, work)
    tally.pass()
  } catch (error) {
    tally.fail(title)
    progress.print(error instanceof Error ? error.message : String(error))
  }
}

/** @param {{ title: string, program: string, args: string[] }} check */
function runCheck({ title, program, args }) {
  return count(title, async () => {
    const env = { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${LARGE_YOUNG_SPACE}` }
    const { code, output } = await run(program, args, { cwd: ROOT, env })
    if (code !== 0) throw new Error(output || `${title} ended with exit code ${code}`)
  })
}
