import { build } from '../build.mjs'
import { formatDuration } from '../lib/progress.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { makeDirectory, startDatabase } from '../stack/stack.ts'
import { percentile } from './figures.mjs'
import { outboxMeasurements, reconcilerLooks, timed } from './hostile/looks.mjs'
import { fillWaiting } from './waiting-fill.mjs'

/*
 * What the reconciler and the metric of the outbox cost beside 1,000,000 waiting deliveries (`npm run bench:waiting --
 * 100000` for fewer). 6 of 10 wait for their next attempt, 3 are overdue and queued, one is parked under an inactive
 * webhook. Ends with exit code 1 when the median of a look exceeds 200 ms.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const LOOKS = 40
const BOUND_MS = 200
/** The memory that a production server would have for this much data. */
const BUFFER_POOL_BYTES = 1024 ** 3

const inMs = (/** @type {number} */ ms) => `${ms.toFixed(1)} ms`
const line = (/** @type {string[]} */ ...[what = '', beside = '', ...figures]) =>
  [what.padEnd(16), beside.padEnd(18), ...figures.map((figure) => figure.padStart(12))].join('')
const HEADING = line('look', 'beside', 'first', 'median', 'worst')

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-waiting')
  const env = /** @type {Record<string, string>} */ (await startDatabase(supervisor, dir))
  const { connect } = await import('../../src/db/connection/connection.ts')
  const db = connect(env.DATABASE_URL)
  const looks = {
    reconciler: await reconcilerLooks(db),
    'outbox metric': await outboxMeasurements(db),
  }
  console.log(HEADING)
  const empty = await measure('nothing waits', looks)
  await db.raw('SET GLOBAL innodb_buffer_pool_size = ?', [BUFFER_POOL_BYTES])
  const startedMs = performance.now()
  await fillWaiting(env, COUNT)
  const took = formatDuration(performance.now() - startedMs)
  const full = await measure(`${COUNT} wait`, looks)
  console.log(
    `\nFilled in ${took}. A look of the reconciler reads 8 pages of overdue and 2 of parked deliveries.`,
  )
  await db.destroy()
  const isWithin = [...empty, ...full].every((medianMs) => medianMs < BOUND_MS)
  if (!isWithin) console.error(`The median of a look exceeds ${BOUND_MS} ms.`)
  return isWithin ? 0 : 1
})

/**
 * Prints a line for each kind of look.
 *
 * @param {string} beside what waits meanwhile
 * @param {Record<string, () => Promise<unknown>>} looks
 * @returns {Promise<number[]>} the medians
 */
async function measure(beside, looks) {
  const medians = []
  for (const [what, look] of Object.entries(looks)) {
    const times = []
    for (let n = 0; n < LOOKS; n++) times.push(await timed(look))
    const median = percentile(times, 0.5)
    console.log(line(what, beside, ...[times[0] ?? NaN, median, Math.max(...times)].map(inMs)))
    medians.push(median)
  }
  return medians
}
