import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { startApis, type SoakApis } from '../apis.ts'
import type { SoakOptions } from '../options.ts'
import { SeededRandom } from '../random.ts'
import { compareFeed, firstDifference, readPages } from './account.ts'

const APIS = ['api-1', 'api-2', 'api-3'] as const
const READERS = ['reader-1', 'reader-2'] as const
const WRITERS = ['writer-1', 'writer-2', 'writer-3'] as const
const KILL_EVERY_MS = 10_000
const LONGEST_PAUSE_MS = 3_000

/**
 * The soak of the feed: three processes write by three apis, two readers follow, and every 10 s an api and a reader are
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
  const writers = WRITERS.map((name) => apis.startProgram(name, 'feed/writer.ts'))
  await killInTurns(apis, new SeededRandom(seed), Date.now() + minutes * 60_000)
  await apis.untilReady()
  await Promise.all(writers.map((pid) => supervisor.end(pid)))
  const textOf = (name: string) => readFile(apis.fileOf(name), 'utf8')
  const linesOf = async (name: string) => (await textOf(name)).split('\n').filter(Boolean)
  const accepted = new Set((await Promise.all(WRITERS.map(linesOf))).flat())
  const accounts = async () => {
    const reads = await Promise.all(
      READERS.map(async (name) => readPages(await textOf(name)).flatMap(({ tags }) => tags)),
    )
    return reads.map((read) => ({ ...compareFeed(accepted, read), tags: read }))
  }
  const isComplete = async () => (await accounts()).every(({ missing }) => missing.length === 0)
  await waitUntil('The readers at the end of the feed', isComplete).catch(() => undefined)
  const [one, other] = await accounts()
  if (!one || !other) throw new Error('two readers read')
  const differences = firstDifference(one.tags, other.tags)
  const count = (what: 'missing' | 'repeated' | 'outOfOrder') => one[what].length + other[what].length
  for (const what of ['missing', 'repeated', 'outOfOrder'] as const)
    for (const tag of [...one[what], ...other[what]].slice(0, 20)) console.log(`${what}: ${tag}`)
  for (const tags of differences) console.log(`the readers differ: ${tags}`)
  console.log(
    `feed: ${one.accepted} accepted, ${one.read} read, ${count('missing')} missing, ${count('repeated')} repeated, ${count('outOfOrder') + differences.length} out of order`,
  )
  return count('missing') + count('repeated') + count('outOfOrder') + differences.length === 0
}

/** Kills an api and a reader every 10 s and starts them again after a pause, until the time is over. */
async function killInTurns(apis: SoakApis, random: SeededRandom, untilMs: number): Promise<void> {
  for (let turn = 0; Date.now() + KILL_EVERY_MS < untilMs; turn++) {
    await sleep(KILL_EVERY_MS)
    const names = [APIS[turn % APIS.length]!, READERS[turn % READERS.length]!]
    await apis.killAndRestart(names, random.between(0, LONGEST_PAUSE_MS))
  }
  await sleep(Math.max(0, untilMs - Date.now()))
}
