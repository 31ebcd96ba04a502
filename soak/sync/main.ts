import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from '../../scripts/build.mjs'
import { formatDuration } from '../../scripts/lib/progress.ts'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { runSupervised } from '../../scripts/lib/supervisor.ts'
import { makeDirectory } from '../../scripts/stack/stack.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { startApis } from '../apis.ts'
import { positive } from '../options.ts'
import { SeededRandom } from '../random.ts'
import { keepRate } from '../rate.ts'
import { printAccount } from '../report.ts'
import { FileTable } from './file-table.ts'
import { compareCopy, insertRecords, readRecords } from './records.ts'
import { Writer } from './writer.ts'

/*
 * A client copies all records and follows the feed, with the program of docs/api-clients.md, while others write:
 * `npm run drill:sync -- --seed 1`. The drill kills the client during and after the copy, pauses it in between, and
 * kills apis all the time. At the end it compares the copy with the table. Exit code 1 unless they are the same.
 */

const APIS = ['api-1', 'api-2'] as const
const COPIER = 'copier'
/** Records that exist when the copy begins. */
const RECORDS = 20_000
const PART = 100
const PER_SECOND = 200
/** Writes that are open at once, at most. Writes that are due while an api boots are made afterwards. */
const MOST_OPEN = 100
/** When the client is killed and paused: after these shares of the lists, and after `secondKill` parts of the feed. */
const AT = { firstKill: 0.3, pause: 0.6, secondKill: 20 }
/** How long the writes go on after the last kill. */
const AFTERWARDS_MS = 10_000

await runSupervised(async (supervisor) => {
  const { seed, pauseS } = readOptions()
  await build()
  console.log(`seed ${seed}: ${PER_SECOND} writes/s, a pause of ${pauseS} s`)
  const dir = await makeDirectory(supervisor, 'sync', { isKept: true })
  const apis = await startApis(supervisor, dir, APIS)
  const db = connect(apis.databaseUrl, { poolSize: 1 })
  supervisor.onCleanup(() => db.destroy())
  const ids = await insertRecords(db, { companyId: apis.companyId, environment: 'live' }, RECORDS)
  const random = new SeededRandom(seed)
  const client = apis.clientOf(0)
  const writer = new Writer(client, random.fork('writes'), ids)
  const over = new AbortController()
  const rate = { perSecond: PER_SECOND, mostOpen: MOST_OPEN, isOver: over.signal }
  const writing = keepRate((n) => writer.write(n), rate)
  const killing = apis.killInTurns([APIS], random.fork('apis'), over.signal)

  const seen = { list: 0, feed: 0, cursor: '' }
  apis.startProgram(COPIER, 'sync/copier.ts', (line) => {
    const [kind, cursor = ''] = line.split(' ')
    if (kind === 'list' || kind === 'feed') seen[kind] += 1
    seen.cursor = cursor
  })
  const pauses = random.fork('copier')
  const killCopier = () => apis.killAndRestart([COPIER], pauses)
  await reach('30 % of the lists', () => seen.list >= (AT.firstKill * RECORDS) / PART)
  await killCopier()
  await reach('60 % of the lists', () => seen.list >= (AT.pause * RECORDS) / PART)
  process.kill(apis.pidOf(COPIER), 'SIGSTOP')
  console.log(`paused ${COPIER} at ${seen.list} parts of the lists`)
  await sleep(pauseS * 1_000)
  process.kill(apis.pidOf(COPIER), 'SIGCONT')
  await reach('the feed', () => seen.feed >= AT.secondKill)
  await killCopier()
  await sleep(AFTERWARDS_MS)

  over.abort()
  const { seconds } = await writing
  const apiKills = await killing
  await apis.untilReady()
  const { pagination } = await client.askUntilCertain('GET', '/api-v1-events/feed?after=end')
  const end = pagination!.next_cursor
  await reach('the end of the feed', () => seen.cursor === end)
  await supervisor.kill(apis.pidOf(COPIER))

  const copy = new FileTable(apis.fileOf(COPIER)).rows
  const { same, ...faults } = compareCopy(await readRecords(db), copy)
  const { created, updated, deleted, refused, unanswered } = writer.counts
  console.log(
    `writes: ${created} created, ${updated} updated, ${deleted} deleted, ${refused} refused, ${unanswered} without a certain answer, ${Math.round((created + updated + deleted) / seconds)}/s`,
  )
  const tombstones = [...copy.values()].filter(({ record }) => record === null).length
  console.log(
    `copy: ${seen.list} parts of lists, ${seen.feed} of the feed, ${tombstones} tombstones; ${apiKills} kills of apis; ${formatDuration(performance.now())}`,
  )
  const total = same.length + faults.different.length + faults.missing.length
  return printAccount(`sync: ${total} records, ${same.length} same`, faults) ? 0 : 1
})

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      pause: { type: 'string', default: '60' },
    },
  })
  return { seed: values.seed, pauseS: positive('pause', values.pause) }
}

function reach(what: string, isThere: () => boolean): Promise<void> {
  return waitUntil(`The copy at ${what}`, isThere, { timeoutMs: 120_000, intervalMs: 5 })
}
