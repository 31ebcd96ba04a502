import { readdir } from 'node:fs/promises'
import { build } from '../build.mjs'
import { runSupervised } from '../lib/supervisor.mjs'
import { startStack } from './hostile/stack.mjs'
import { STRUCTURAL_ROWS } from './hostile/structural.mjs'
import { describeMachine, renderTable, writeDocument } from './hostile/table.mjs'

/*
 * What one party can do to all others: `npm run bench:hostile`, or `npm run bench:hostile -- 1 17` for some rows alone.
 * Each row measures quiet and attacked phases by turns, on a service of its own on loopback. With --write the table goes
 * into docs/benchmarks.md. Takes about 12 minutes; ends with exit code 1 when a row is beyond its bound.
 */

const ROWS = new URL('./hostile/rows/', import.meta.url)
const ROW_MS = 180_000
const RUN_MS = 900_000

const wanted = process.argv.slice(2).filter((argument) => argument !== '--write')
const startedMs = performance.now()

await runSupervised(async (supervisor) => {
  const rows = (await listRows()).filter(({ id }) => wanted.length === 0 || wanted.includes(String(id)))
  if (rows.length === 0) throw new Error(`There is no row ${wanted.join(', ')}`)
  await build()
  const stack = await startStack(supervisor)
  const machine = await describeMachine(stack.db, stack.temporalVersion)
  const measured = []
  for (const row of rows) measured.push(await measureRow(row, stack))
  const table = renderTable(measured)
  console.log(`\n${table}\n\n${machine}`)
  if (process.argv.includes('--write')) {
    const command = ['npm run bench:hostile --', ...wanted, '--write'].join(' ')
    await writeDocument(
      `${machine}, ${new Date().toISOString().slice(0, 10)}, by \`${command}\`:\n\n${table}`,
    )
  }
  return measured.every(({ test, figures }) => test !== undefined || figures?.isWithin) ? 0 : 1
})

/** @returns {Promise<import('./hostile/table.mjs').Row[]>} in the order of their numbers */
async function listRows() {
  const files = (await readdir(ROWS)).filter((file) => file.endsWith('.mjs'))
  const modules = await Promise.all(files.map((file) => import(new URL(file, ROWS).href)))
  return [...modules.map(({ row }) => row), ...STRUCTURAL_ROWS].sort((a, b) => a.id - b.id)
}

/**
 * @param {import('./hostile/table.mjs').Row} row
 * @param {import('./hostile/stack.mjs').HostileStack} stack
 * @returns {Promise<import('./hostile/table.mjs').MeasuredRow>}
 */
async function measureRow(row, stack) {
  if (!row.run) return row
  const rowStartedMs = performance.now()
  if (rowStartedMs - startedMs > RUN_MS) return { ...row, failure: 'not begun: the time was over' }
  console.log(`row ${row.id}: ${row.party}`)
  try {
    const figures = await within(row.run(stack), ROW_MS)
    const took = Math.round((performance.now() - rowStartedMs) / 1000)
    console.log(
      `  quiet ${figures.quiet}; attacked ${figures.attacked}; ratio ${figures.ratio?.toFixed(2) ?? 'none'}; ` +
        `${figures.isWithin ? 'within' : 'BEYOND'} ${row.bound} (${took} s)\n  ${figures.note ?? ''}`,
    )
    return { ...row, figures }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error)
    console.log(`  FAILED: ${failure}`)
    return { ...row, failure }
  } finally {
    await stack.stopOthers()
  }
}

/** @template T @param {Promise<T>} work @param {number} limitMs @returns {Promise<T>} */
async function within(work, limitMs) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${limitMs / 1000} s`)), limitMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
