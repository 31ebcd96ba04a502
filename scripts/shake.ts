import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { SeededRandom } from '../soak/random.ts'
import { DATA_DIR } from './lib/paths.mjs'
import { createProgress, formatTable } from './lib/progress.ts'
import { runSupervised } from './lib/supervisor.ts'
import { makeTestDirectory } from './lib/test-directory.ts'
import { watchStarts } from './stack/stack.ts'
import { createParts } from './test/parts.ts'
import { runMocha, type MochaRun } from './test/mocha.ts'
import { chooseSuites } from './test/suites.ts'

// npm run test:shake -- <suite> [--b] [--times 20] [--load 0] [--jobs 3] [--seed 1]: runs the tests again and again, their files in
// another order each time, beside --load processes that each keep a core busy. At its end it says which tests failed and how often.
// The same seed gives the same orders. With --b it runs configuration B.

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    b: { type: 'boolean', default: false },
    times: { type: 'string', default: '20' },
    load: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const numbers = [values.times, values.load, values.jobs, values.seed].map(Number)
const [times = 0, load = 0, jobs = 0, firstSeed = 0] = numbers

/** Gets the logs of failed tests, and stays. */
const logsDir = path.join(DATA_DIR, 'test-logs', String(process.pid))
const seeds = Array.from({ length: times }, (_, run) => firstSeed + run)

await runSupervised(async (supervisor) => {
  const progress = createProgress()
  const [suite] = chooseSuites({ configurations: [values.b ? 'B' : 'A'], wanted })
  if (suite === undefined) throw new Error('There is no test in it.')
  const dirOfAll = await makeTestDirectory(supervisor)
  const files = suite.folders.flatMap((folder) => folder.files)
  const needed = suite.folders.flatMap((folder) => folder.parts)
  for (let busy = 0; busy < load; busy++)
    supervisor.start({ name: `load ${busy}`, command: process.execPath, args: ['-e', 'for (;;);'] })

  const runs = [['seed', 'passed', 'failed', 'seconds']]
  const failedIn = new Map<string, number[]>()
  for (const seed of seeds) {
    const dir = path.join(dirOfAll, String(seed))
    const title = `seed ${seed}`
    const lines: string[] = []
    const startedMs = performance.now()
    // Each run has servers of its own, as in `npm test`: what four runs leave behind makes Temporal several times as slow.
    const pids: number[] = []
    const ofRun = watchStarts(supervisor, (_service, pid) => pids.push(pid))
    await mkdir(dir)
    const parts = await createParts(ofRun, dir, progress)(needed)
    const env = { ...parts, TEST_LOGS_DIR: path.join(logsDir, String(seed)) }
    const how = { env, dir, jobs, mochaArgs: [], onLine: (line: string) => void lines.push(line) }
    const order = new SeededRandom(String(seed)).shuffled(files)
    const isGood = (run: MochaRun) => run.code === 0
    const ran = await progress.step(title, () => runMocha({ ...suite, title }, order, how), { isGood })
    for (const pid of pids.reverse()) await supervisor.end(pid)
    await rm(dir, { recursive: true, force: true })
    const { passed, failed } = ran.result ?? { passed: {}, failed: [`no result, exit code ${ran.code}`] }
    for (const name of failed) failedIn.set(name, [...(failedIn.get(name) ?? []), seed])
    if (ran.code !== 0) progress.print(lines.join('\n'))
    const sum = Object.values(passed).reduce((all, count) => all + count, 0)
    runs.push([seed, sum, failed.length, Math.round((performance.now() - startedMs) / 1000)].map(String))
  }
  console.log(`\n${formatTable(runs)}\n`)
  for (const [name, seen] of [...failedIn].sort(([, a], [, b]) => b.length - a.length))
    console.log(`✗ ${seen.length} of ${times} times: ${name} (seeds ${seen.join(', ')})`)
  console.log(`${runs.length - 1} runs beside ${load} busy processes, ${failedIn.size} tests failed`)
  if (existsSync(logsDir)) console.log(`The logs of failed tests are in ${logsDir}.`)
  return failedIn.size === 0 ? 0 : 1
})
