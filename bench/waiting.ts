import { build } from '../scripts/build.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { makeDirectory, startDatabase } from '../scripts/stack/stack.ts'
import { connect } from '../src/db/connection/connection.ts'
import { percentile, timed } from './support/figures.ts'
import { useLargeBufferPool } from './support/stack.ts'
import { fillWaiting, looksAt, timeLooks, type Looks } from './support/waiting.ts'

/*
 * What the reconciler and the metric of the outbox cost beside 1,000,000 waiting deliveries (`npm run bench:waiting --
 * 100000` for fewer). 6 of 10 wait for their next attempt, 3 are overdue and queued, one is parked under an inactive
 * webhook. Ends with exit code 1 when the median of a look exceeds 200 ms.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const LOOKS = 40
const BOUND_MS = 200

const line = (...[what = '', beside = '', ...figures]: string[]) =>
  [what.padEnd(16), beside.padEnd(18), ...figures.map((figure) => figure.padStart(12))].join('')

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-waiting')
  const databaseUrl = (await startDatabase(supervisor, dir))['DATABASE_URL'] ?? ''
  const db = connect(databaseUrl)
  const { claim: _claim, ...looks } = looksAt(db)
  console.log(line('look', 'beside', 'first', 'median', 'worst'))
  const empty = await measure('nothing waits', looks)
  await useLargeBufferPool(db)
  const [due, parked] = [Math.round(COUNT * 0.3), Math.round(COUNT * 0.1)]
  const later = COUNT - due - parked
  const filledMs = await timed(() => fillWaiting(databaseUrl, { due, later, parked, queues: 1_000 }))
  const full = await measure(`${COUNT} wait`, looks)
  console.log(
    `\nFilled in ${formatDuration(filledMs)}. A look of the reconciler reads 8 pages of overdue and 2 of parked deliveries.`,
  )
  const isWithin = [...empty, ...full].every((medianMs) => medianMs < BOUND_MS)
  if (!isWithin) console.error(`The median of a look exceeds ${BOUND_MS} ms.`)
  return isWithin ? 0 : 1
})

/** Prints a line for each kind of look. Gives the medians. @param beside what waits meanwhile */
async function measure(beside: string, looks: Looks): Promise<number[]> {
  return [...(await timeLooks(looks, LOOKS))].map(([what, times]) => {
    const medianMs = percentile(times, 0.5)
    const figures = [times[0] ?? NaN, medianMs, Math.max(...times)]
    console.log(line(what, beside, ...figures.map((ms) => `${ms.toFixed(1)} ms`)))
    return medianMs
  })
}
