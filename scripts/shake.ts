import { parseArgs } from 'node:util'
import { run } from './lib/commands.ts'
import { ROOT } from './lib/paths.mjs'
import { createProgress, formatTable } from './lib/progress.ts'
import { runSupervised } from './lib/supervisor.ts'

// npm run test:shake -- <suite> [--b] [--times 20] [--load 0] [--jobs 3] [--seed 1]: runs the tests again and again, their files in
// another order each time, beside --load processes that each keep a core busy. At its end it says which tests failed and how often.
// The same seed gives the same orders. With --b it runs configuration B. Each run is an `npm test` with servers of its own: what
// four runs leave behind makes Temporal several times as slow.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    b: { type: 'boolean', default: false },
    times: { type: 'string', default: '20' },
    load: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const { b, times, load, jobs } = values
const args = ['scripts/test.ts', ...(b ? ['--b'] : []), ...positionals]

/** What a run prints at its end: a line for each failed test, unlike the line of a step without its time, and the count. */
const FAILED = /^✗ (.+)(?<!\([\d.]+ s\)|\(\d+ min \d+ s\))$/gm
const COUNT = /^(\d+) passed, (\d+) failed$/m

await runSupervised(async (supervisor) => {
  const progress = createProgress()
  for (let busy = 0; busy < Number(load); busy++)
    supervisor.start({ name: `load ${busy}`, command: process.execPath, args: ['-e', 'for (;;);'] })

  const runs = [['seed', 'passed', 'failed', 'seconds']]
  const failedIn = new Map<string, string[]>()
  for (let count = 0; count < Number(times); count++) {
    const seed = String(Number(values.seed) + count)
    const startedMs = performance.now()
    const env = { ...process.env, TEST_SEED: seed, TEST_JOBS: jobs }
    const test = () => run(process.execPath, args, { cwd: ROOT, env })
    const isGood = ({ code }: { code: number }) => code === 0
    const { code, output } = await progress.step(`seed ${seed}`, test, { isGood })
    if (code !== 0) progress.print(output)
    const names = [...output.matchAll(FAILED)].map(([, name = '']) => name)
    if (code !== 0 && names.length === 0) names.push(`a run, with exit code ${code}`)
    for (const name of names) failedIn.set(name, [...(failedIn.get(name) ?? []), seed])
    const [, passed = '0', failed = '?'] = COUNT.exec(output) ?? []
    runs.push([seed, passed, failed, ((performance.now() - startedMs) / 1000).toFixed(0)])
  }
  console.log(`\n${formatTable(runs)}\n`)
  for (const [name, seen] of [...failedIn].sort(([, a], [, b]) => b.length - a.length))
    console.log(`✗ ${seen.length} of ${times} times: ${name} (seeds ${seen.join(', ')})`)
  console.log(`${times} runs beside ${load} busy processes, ${failedIn.size} tests failed`)
  return failedIn.size === 0 ? 0 : 1
})
