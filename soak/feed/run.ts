import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readWholeLines } from '../../scripts/lib/processes.ts'
import { waitUntil } from '../../scripts/lib/ready.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { startApis } from '../apis.ts'
import type { SoakClient } from '../client.ts'
import type { SoakOptions } from '../options.ts'
import { SeededRandom } from '../random.ts'
import { printAccount } from '../report.ts'

const APIS = ['api-1', 'api-2', 'api-3'] as const
const READERS = ['reader-1', 'reader-2'] as const
const WRITERS = ['writer-1', 'writer-2', 'writer-3'] as const

/**
 * The soak of the feed: three clients write by three apis, two readers follow, and every 10 s an api and a reader are
 * killed. Prints what was lost, and the account in one line.
 *
 * @returns whether each reader read every accepted event once and in order
 */
export async function soakFeed(
  supervisor: Supervisor,
  dir: string,
  { trafficMs, seed }: SoakOptions,
): Promise<boolean> {
  const apis = await startApis(supervisor, dir, APIS)
  for (const name of READERS) apis.startProgram(name, 'feed/reader.ts')
  const accepted = new Set<string>()
  const isOver = AbortSignal.timeout(trafficMs)
  const writing = WRITERS.map((name, turn) =>
    writeRows({ client: apis.clientOf(turn), name, isOver, accepted }),
  )
  await apis.killInTurns([APIS, READERS], new SeededRandom(seed), isOver)
  await apis.untilReady()
  await Promise.all(writing)
  const tagsOf = (name: string) =>
    readWholeLines<{ tags: string[] }>(apis.fileOf(name)).flatMap(({ tags }) => tags)
  const isComplete = () => READERS.every((name) => compareFeed(accepted, tagsOf(name)).missing.length === 0)
  await waitUntil('The readers at the end of the feed', isComplete).catch(() => undefined)
  const [one = [], other = []] = READERS.map(tagsOf)
  const accounts = [one, other].map((tags) => compareFeed(accepted, tags))
  const place = one.findIndex((tag, index) => tag !== other[index])
  const differs = place < 0 ? [] : [`the readers differ: ${one[place]} and ${other[place] ?? 'nothing'}`]
  return printAccount(`feed: ${accepted.size} accepted, ${one.length} read`, {
    missing: accounts.flatMap(({ missing }) => missing),
    repeated: accounts.flatMap(({ repeated }) => repeated),
    'out of order': [...differs, ...accounts.flatMap(({ outOfOrder }) => outOfOrder)],
  })
}

type Writing = {
  readonly client: SoakClient
  readonly name: string
  readonly isOver: AbortSignal
  /** Gets the tags of accepted events. */
  readonly accepted: Set<string>
}

const eventOf = (tag: string, id?: string) => ({ ...(id && { id }), event: 'contact.created', data: { tag } })
const idOf = (tag: string) => `evt_${tag.replaceAll('/', '_')}`
/** How many numbers a batch takes. In every row the number goes up by as many. */
const BATCH = 5

/**
 * Publishes until the signal, in four rows side by side: events with an id of their own, events without, batches, and changes of
 * a contact. Each row sends its next call once the one before is over. A tag is the name of the row and a number that counts up.
 */
async function writeRows({ client, name, isOver, accepted }: Writing): Promise<void> {
  /** @param write writes events with these tags, or a single one with the first tag */
  async function row(
    kind: string,
    pauseMs: number,
    write: (tag: string, tags: readonly string[]) => Promise<{ readonly status: number }>,
    count = 1,
  ) {
    for (let n = 0; !isOver.aborted; n += BATCH) {
      const tags = Array.from({ length: count }, (_, more) => `${name}/${kind}/${n + more}`)
      const { status } = await write(tags[0]!, tags)
      if (status === 200 || status === 201) for (const tag of tags) accepted.add(tag)
      await sleep(pauseMs)
    }
  }
  const publish = (body: object) => client.askUntilCertain('POST', '/api-v1-events', body)
  async function changeContact(): Promise<void> {
    const contact = { name: `${name}/new/0` }
    const key = { 'idempotency-key': randomUUID() }
    const { data } = await client.askUntilCertain('POST', '/api-v1-contacts', contact, key)
    const path = `/api-v1-contacts/${(data as { id: string }).id}`
    await row('contact', 20, (tag) => client.askUntilCertain('PATCH', path, { name: tag }))
  }
  await Promise.all([
    row('named', 10, (tag) => publish(eventOf(tag, idOf(tag)))),
    // An event without an id may not be repeated: if its answer is lost, it may have been accepted or not.
    row('unnamed', 5, (tag) => client.ask('POST', '/api-v1-events', eventOf(tag))),
    row('batch', 50, (_, tags) => publish({ events: tags.map((tag) => eventOf(tag, idOf(tag))) }), BATCH),
    changeContact(),
  ])
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
