import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from '../scripts/build.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { makeDirectory } from '../scripts/stack/stack.ts'
import { settleAndCompare } from './account/compare.ts'
import { recoverAll } from './asks.ts'
import { killParts } from './kills.ts'
import { readOptions } from './options.ts'
import { SeededRandom } from './random.ts'
import { renderReport } from './report.ts'
import { startSoakStack } from './stack.ts'
import { createParts, makeTraffic } from './traffic.ts'

/*
 * Runs the whole service under mixed traffic while its parts are killed, and accounts for every accepted event:
 * `npm run soak -- --minutes 10 --seed 1`. It brings its own servers, on free ports and in a temporary directory. Ends with
 * exit code 1 when something was lost, or when receivers, database and Temporal do not agree; then the directory is kept.
 * More options: options.ts. docs/reliability.md says what is checked.
 */

await runSupervised(async (supervisor) => {
  const options = readOptions()
  await build()
  console.log(`seed ${options.seed}, lane ${options.lane}`)
  const dir = await makeDirectory(supervisor, 'soak', { isKept: true })
  const stack = await startSoakStack(supervisor, { dir, lane: options.lane })
  const random = new SeededRandom(options.seed)
  const parts = await createParts(stack, random)
  console.log(`everything runs after ${formatDuration(performance.now())}; traffic and kills begin`)
  const [traffic, kills] = await Promise.all([
    makeTraffic(parts, random, options),
    killParts(stack, random.fork('kills'), options),
  ])
  await parts.endpoints.heal()
  await recoverAll(parts)
  const result = await settleAndCompare(stack.env, { ...parts, kills })
  const report = renderReport(options, result, { ...parts, kills, traffic })
  console.log(report)
  await writeFile(path.join(dir, 'report.txt'), `${report}\n`)
  console.log(`the run took ${formatDuration(performance.now())}`)
  return result.account.isGood() ? 0 : 1
})
