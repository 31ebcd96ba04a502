import { waitUntil } from '../../scripts/lib/ready.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { startApis } from '../apis.ts'
import { RotatingClient } from '../client.ts'
import type { SoakOptions } from '../options.ts'
import { readWholeLines } from '../../scripts/lib/processes.ts'
import { SeededRandom } from '../random.ts'
import { writeRows } from './writer.ts'

const APIS = ['api-1', 'api-2', 'api-3'] as const
const READERS = ['reader-1', 'reader-2'] as const
const WRITERS = ['writer-1', 'writer-2', 'writer-3'] as const
const LONGEST_PAUSE_MS = 3_000

/**
 * The soak of the feed: three clients write by three apis, two readers follow, and every 10 s an api and a reader are
 * killed. Prints what was lost, and the account in one line.
 *
 * @returns whether each reader read every accepted event once and in order
 */
export async function soakFeed(
  supervisor: Supervisor,
  dir: string,
  { minutes, seed }: SoakOptions,
): Promise<boolean> {
  const apis = await startApis(supervisor, dir, APIS)
  for (const name of READERS) apis.startProgram(name, 'feed/reader.ts')
  const accepted = new Set<string>()
  const isOver = AbortSignal.timeout(Math.round(minutes * 60_000))
  const writing = WRITERS.map((name, turn) =>
    writeRows({ client: new RotatingClient(apis.urls, apis.key, turn), name, isOver, accepted }),
  )
  const random = new SeededRandom(seed)
  await apis.killInTurns([APIS, READERS], { random, longestPauseMs: LONGEST_PAUSE_MS, isOver })
  await apis.untilReady()
  await Promise.all(writing)
  const tagsOf = (name: string) =>
    readWholeLines<{ tags: string[] }>(apis.fileOf(name)).flatMap(({ tags }) => tags)
  const isComplete = () => READERS.every((name) => compareFeed(accepted, tagsOf(name)).missing.length === 0)
  await waitUntil('The readers at the end of the feed', isComplete).catch(() => undefined)
  const [one = [], other = []] = READERS.map(tagsOf)
  const accounts = [compareFeed(accepted, one), compareFeed(accepted, other)]
  const differs = one.findIndex((tag, place) => tag !== other[place])
  const counts = { missing: 0, repeated: 0, outOfOrder: Number(differs >= 0) }
  for (const what of ['missing', 'repeated', 'outOfOrder'] as const) {
    const tags = accounts.flatMap((account) => account[what])
    counts[what] += tags.length
    for (const tag of tags.slice(0, 20)) console.log(`${what}: ${tag}`)
  }
  if (differs >= 0) console.log(`the readers differ: ${one[differs]} and ${other[differs] ?? 'nothing'}`)
  console.log(
    `feed: ${accepted.size} accepted, ${one.length} read, ${counts.missing} missing, ${counts.repeated} repeated, ${counts.outOfOrder} out of order`,
  )
  return counts.missing + counts.repeated + counts.outOfOrder === 0
}

/**
 * Compares what writers know was accepted with what a reader read, by tags `row/number`. A row was written one after the
 * other, so the accepted ones of a row must come with rising numbers. Linear in both.
 */
function compareFeed(accepted: ReadonlySet<string>, read: readonly string[]) {
  const seen = new Set<string>()
  const latest = new Map<string, number>()
  const repeated: string[] = []
  const outOfOrder: string[] = []
  for (const tag of read) {
    if (seen.has(tag)) repeated.push(tag)
    seen.add(tag)
    const [, row = '', number] = /^(.*)\/(\d+)$/.exec(tag) ?? []
    if (!accepted.has(tag)) continue
    if (Number(number) < (latest.get(row) ?? -1)) outOfOrder.push(tag)
    latest.set(row, Number(number))
  }
  return { missing: [...accepted].filter((tag) => !seen.has(tag)), repeated, outOfOrder }
}
