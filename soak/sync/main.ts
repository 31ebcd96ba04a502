import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../../scripts/build.mjs'
import { readWholeLines } from '../../scripts/lib/processes.ts'
import { formatDuration } from '../../scripts/lib/progress.ts'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { runSupervised } from '../../scripts/lib/supervisor.ts'
import { makeDirectory } from '../../scripts/stack/stack.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { toResource, type ResourceRow } from '../../src/db/event/resource-rows.ts'
import { presentResource } from '../../src/presenters/events.ts'
import { readOptions } from '../options.ts'
import { SeededRandom } from '../random.ts'
import { keepRate } from '../rate.ts'
import { killInTurns } from '../stack.ts'
import { APIS, startApis } from './apis.ts'
import { compareCopy, compareFeed } from './compare.ts'
import type { Part } from './copier.ts'
import { createWriter, insertRecords } from './writer.ts'

/*
 * Two clients copy all records and follow the feed, with the program of docs/api-clients.md, while others write by three apis:
 * `npm run drill:sync -- --seed 1`. The drill kills the first client during and after the copy, and pauses it in between. Every 10 s
 * it kills an api and the second client. At the end it compares each copy with the table, and what each client read of the feed with
 * what was accepted. Exit code 1 unless each copy is the same, and each client read every accepted event once and in order.
 */

/** Records that exist when the copy begins: 200 parts of lists. */
const RECORDS = 20_000
const PER_SECOND = 200
/** Writes that are open at once, at most. Writes that are due while an api boots are made afterwards. */
const MOST_OPEN = 100
/** When the first client is killed and paused: after so many parts of the lists, and then of the feed. */
const AT = { firstKill: 60, pause: 120, secondKill: 20 }
/** Least and most time from one kill of an api and the second client to the next. */
const KILL_EVERY_MS = [10_000, 10_000]
/** Longest pause before the first client is started again. */
const PAUSE_MS = 3_000
/** How long the writes go on after the last kill of the first client. */
const AFTERWARDS_MS = 10_000
/** Most lines that are shown of each kind of fault. */
const SHOWN = 20

/** Yields the next api and the copier without end. */
function* turnsWith(copier: string) {
  for (;;) for (const api of APIS) yield [api, copier]
}

await runSupervised(async (supervisor) => {
  // The pause is in seconds. The minutes are how long the writes go on at least.
  const { seed, pause: pauseS, minutes } = readOptions({ pause: 60, minutes: 2 })
  await build()
  console.log(`seed ${seed}: ${PER_SECOND} writes/s, a pause of ${pauseS} s`)
  const dir = await makeDirectory(supervisor, 'sync', { isKept: true })
  const apis = await startApis(supervisor, dir)
  const db = connect(apis.databaseUrl, { poolSize: 1 })
  supervisor.onCleanup(() => db.destroy())
  const ids = await insertRecords(db, { companyId: apis.companyId, environment: 'live' }, RECORDS)
  const random = new SeededRandom(seed)
  const writer = createWriter(apis.clients, random.fork('writes'), ids)
  const copies = ['copier-1', 'copier-2'].map((name, turn) => {
    const seen = { list: 0, feed: 0, cursor: '' }
    const file = apis.startCopier(name, turn, (line) => {
      const [kind, cursor = ''] = line.split(' ')
      if (kind === 'list' || kind === 'feed') seen[kind] += 1
      seen.cursor = cursor
    })
    return { name, file, seen }
  })
  const [first, second] = [copies[0]!, copies[1]!]
  // Their feeds begin before the first write.
  await reach('the first part', () => copies.every(({ seen }) => seen.list > 0))
  const over = new AbortController()

  async function disturbFirst(): Promise<void> {
    const { name, seen } = first
    const pauses = random.fork('copier')
    const kill = () => apis.killAndRestart([name], pauses.between(0, PAUSE_MS))
    await reach('30 % of the lists', () => seen.list >= AT.firstKill)
    await kill()
    await reach('60 % of the lists', () => seen.list >= AT.pause)
    process.kill(apis.pidOf(name), 'SIGSTOP')
    console.log(`paused ${name} at ${seen.list} parts of the lists`)
    await sleep(pauseS * 1_000)
    process.kill(apis.pidOf(name), 'SIGCONT')
    await reach('the feed', () => seen.feed >= AT.secondKill)
    await kill()
    await sleep(AFTERWARDS_MS)
  }
  const [{ begun, seconds }, kills] = await Promise.all([
    keepRate(writer.write, PER_SECOND, MOST_OPEN, over.signal),
    killInTurns(apis.killAndRestart, turnsWith(second.name), random.fork('apis'), KILL_EVERY_MS, over.signal),
    Promise.all([disturbFirst(), sleep(minutes * 60_000)]).then(() => over.abort()),
  ])
  const end = await apis.clients[0]!.ask('GET', '/api-v1-events/feed?after=end', undefined, 'repeated')
  await reach('the end', () => copies.every(({ seen }) => seen.cursor === end.pagination!.next_cursor))
  for (const { name } of copies) await supervisor.kill(apis.pidOf(name))

  const counts = Object.entries(writer.counts).map(([what, count]) => `${count} ${what}`)
  console.log(`writes: ${counts.join(', ')}; ${Math.round(begun / seconds)}/s`)
  console.log(`${kills.length} kills of an api and ${second.name}; ${formatDuration(performance.now())}`)
  const rows = await db<ResourceRow>('resources').select('*')
  const table = new Map(rows.map((row) => [row.id, presentResource(toResource(row))]))
  const reads: string[][] = []
  const areSame = copies.map(({ name, file, seen }) => {
    const parts = readWholeLines<Part>(file)
    reads.push(parts.flatMap(({ events }) => events))
    console.log(`${name}: ${seen.list} parts of lists, ${seen.feed} of the feed`)
    const { same, ...faults } = compareCopy(table, new Map(parts.flatMap((part) => part.rows)))
    return printAccount(`sync: ${table.size} records, ${same.length} same`, faults)
  })
  const feed = `feed: ${writer.accepted.size} accepted, ${reads[0]!.length} read`
  const isWhole = printAccount(feed, compareFeed(writer.accepted, reads))
  return isWhole && areSame.every((isSame) => isSame) ? 0 : 1
})

/** Prints the first of each kind of fault, and the account in one line. @returns whether there is no fault */
function printAccount(account: string, faults: Readonly<Record<string, readonly string[]>>): boolean {
  const kinds = Object.entries(faults)
  for (const [kind, found] of kinds) for (const one of found.slice(0, SHOWN)) console.log(`${kind}: ${one}`)
  console.log([account, ...kinds.map(([kind, { length }]) => `${length} ${kind}`)].join(', '))
  return kinds.every(([, { length }]) => length === 0)
}

function reach(what: string, isThere: () => boolean): Promise<void> {
  return waitUntil(`The copy at ${what}`, isThere, { timeoutMs: 120_000, intervalMs: 5 })
}
