import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from './build.mjs'
import { run } from './lib/commands.mjs'
import { endLeftovers } from './lib/leftovers.mjs'
import { installPackages, needsPackages } from './lib/packages.mjs'
import { packageBin, ROOT } from './lib/paths.mjs'
import { recordGroupsIn } from './lib/process-groups.mjs'
import { isRunning, processIdentity } from './lib/process-identity.mjs'
import { createProgress } from './lib/progress.mjs'
import { chooseSuites, listTestFiles, needServers, parseTestArgs } from './lib/suites.mjs'
import { runSupervised } from './lib/supervisor.mjs'
import { launchTestServers, testEnvironment } from './lib/test-servers.mjs'

const DIR_NAME = /^sales-data-webhooks-test-(\d+)-(.+)$/

/** What must hold besides the tests; two at a time, for a machine with two cores. */
const CHECKS = [
  [
    { title: 'format', bin: 'prettier', args: ['--check', '--log-level', 'warn', '.'] },
    { title: 'types', bin: 'tsc', args: ['--noEmit'] },
  ],
  [
    { title: 'lint', bin: 'eslint', args: ['.', '--max-warnings=0'] },
    { title: 'knip', bin: 'knip', args: [] },
  ],
]

const progress = createProgress()
const total = { passed: 0, failed: 0 }

await runSupervised(async (supervisor) => {
  supervisor.onCleanup(printTotal)
  const { wanted, mochaArgs } = parseTestArgs(process.argv.slice(2))
  if (await needsPackages()) await progress.step('packages (npm ci)', {}, () => installPackages())
  const suites = chooseSuites(await listTestFiles(), wanted)
  const dir = await makeTemporaryDirectory(supervisor)
  if (wanted.length === 0) for (const pair of CHECKS) await Promise.all(pair.map(runCheck))
  await count('build', build)
  const servers = needServers(suites) ? await startServers(supervisor, dir) : {}
  for (const suite of suites) await runSuite(suite, { mochaArgs, servers, dir })
  return total.failed === 0 ? 0 : 1
})

/** The last line of every run, also of one that was cut short: whatever ended it badly counts as a failure. */
function printTotal(/** @type {number} */ code) {
  if (code !== 0 && total.failed === 0) total.failed = 1
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
}

/**
 * A directory for the servers' files, removed on every exit. Its name tells whose it is, so that one a killed run left
 * behind is removed here, after that run's processes.
 *
 * @param {import('./lib/supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<string>}
 */
async function makeTemporaryDirectory(supervisor) {
  for (const name of await readdir(tmpdir())) {
    const [, pid, startedAt] = DIR_NAME.exec(name) ?? []
    if (pid === undefined || isRunning({ pid: Number(pid), startedAt: decodeURIComponent(startedAt) }))
      continue
    const dir = path.join(tmpdir(), name)
    await endLeftovers(path.join(dir, 'children.jsonl'))
    await rm(dir, { recursive: true, force: true })
  }
  const { pid, startedAt } = processIdentity(process.pid)
  const dir = path.join(tmpdir(), `sales-data-webhooks-test-${pid}-${encodeURIComponent(startedAt)}`)
  await mkdir(dir, { mode: 0o700 })
  supervisor.onCleanup(() => rm(dir, { recursive: true, force: true }))
  recordGroupsIn(path.join(dir, 'children.jsonl'))
  return dir
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
    total.passed++
  } catch (error) {
    total.failed++
    progress.print(error instanceof Error ? error.message : String(error))
  }
}

/** @param {{ title: string, bin: string, args: string[] }} check */
function runCheck({ title, bin, args }) {
  return count(title, async () => {
    const { code, output } = await run(packageBin(bin), args, { cwd: ROOT })
    if (code !== 0) throw new Error(output || `${bin} ended with exit code ${code}`)
  })
}

/** @param {import('./lib/supervisor.mjs').Supervisor} supervisor @param {string} dir */
function startServers(supervisor, dir) {
  return progress.step('database and Temporal', {}, (onUpdate) =>
    launchTestServers({ supervisor, dir, onUpdate }),
  )
}

/**
 * Runs one suite in a mocha process of its own and adds its tests to the total. A mocha that crashes, or that fails
 * without a failed test (a hook, something left open), is one failure.
 *
 * @param {import('./lib/suites.mjs').Suite} suite
 * @param {{ mochaArgs: string[], servers: Record<string, string>, dir: string }} options
 */
async function runSuite({ name, files }, { mochaArgs, servers, dir }) {
  const resultFile = path.join(dir, `${name}.json`)
  const args = ['--reporter', './scripts/lib/mocha-reporter.mjs', ...mochaArgs, ...files]
  const isGood = (/** @type {number} */ failures) => failures === 0
  total.failed += await progress.step(`test/${name}`, { isLive: false, isGood }, async () => {
    const env = { ...testEnvironment(), ...servers, SUITE_RESULT_FILE: resultFile }
    const { code } = await run(packageBin('mocha'), args, { cwd: ROOT, env, inherit: true })
    const result = await readFile(resultFile, 'utf8').catch(() => '{"passes":0,"failures":0}')
    const { passes, failures } = JSON.parse(result)
    total.passed += passes
    return code !== 0 && failures === 0 ? 1 : failures
  })
}
