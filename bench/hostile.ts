import { build } from '../scripts/build.mjs'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { within } from '../src/domain/within.ts'
import { manyBatches, refusedBatches } from './hostile/batches.ts'
import { manyAttempts } from './hostile/many-attempts.ts'
import { pipelinedCalls } from './hostile/pipelined-calls.ts'
import { recovery } from './hostile/recovery.ts'
import { renderTable, type MeasuredRow, type Row } from './hostile/table.ts'
import { manyQueues, waitingRows } from './hostile/waiting-deliveries.ts'
import { describeMachine, today, writeDocument } from './support/document.ts'
import { startBenchStack, type BenchStack } from './support/stack.ts'

/*
 * What one party can do to all others: `npm run bench:hostile`, or `npm run bench:hostile -- 6 28` for some rows alone.
 * Each row measures quiet and attacked phases by turns, on a service of its own on loopback; docs/benchmarks.md also
 * names the tests that keep other bounds. With --write the table goes there. Takes about 5 minutes; ends with exit code 1 when a row
 * is beyond its bound.
 */

const ROWS: readonly Row[] = [
  manyAttempts,
  manyQueues,
  waitingRows,
  pipelinedCalls,
  recovery,
  refusedBatches,
  manyBatches,
]
const ROW_MS = 180_000

const wanted = process.argv.slice(2).filter((argument) => argument !== '--write')

await runSupervised(async (supervisor) => {
  const rows = ROWS.filter(({ id }) => wanted.length === 0 || wanted.includes(String(id)))
  if (rows.length === 0) throw new Error(`There is no row ${wanted.join(', ')}`)
  await build()
  const stack = await startBenchStack(supervisor)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  const measured: MeasuredRow[] = []
  for (const row of rows) measured.push(await measureRow(row, stack))
  const table = renderTable(measured)
  console.log(`\n${table}\n\n${machine}`)
  if (process.argv.includes('--write')) {
    const command = ['npm run bench:hostile --', ...wanted, '--write'].join(' ')
    await writeDocument('bench:hostile', `${machine}, ${today()}, by \`${command}\`:\n\n${table}`)
  }
  return measured.every(({ figures }) => figures?.isWithin) ? 0 : 1
})

async function measureRow(row: Row, stack: BenchStack): Promise<MeasuredRow> {
  const startedMs = performance.now()
  console.log(`row ${row.id}: ${row.party}`)
  try {
    const figures = await within(ROW_MS, row.run(stack), () => {
      throw new Error(`not done within ${ROW_MS / 1000} s`)
    })
    const took = Math.round((performance.now() - startedMs) / 1000)
    console.log(
      `  quiet ${figures.quiet}; attacked ${figures.attacked}; ratio ${figures.ratio?.toFixed(2) ?? 'none'}; ` +
        `${figures.isWithin ? 'within' : 'BEYOND'} ${row.bound} (${took} s)\n  ${figures.note}`,
    )
    return { ...row, figures }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    console.log(`  FAILED: ${failure}`)
    return { ...row, failure }
  }
}
