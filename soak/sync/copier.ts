import { appendFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { readWholeLines } from '../../scripts/lib/processes.ts'
import { writePrograms } from '../../test/docs/receiving-programs.ts'
import { SoakClient } from '../client.ts'
import { nameOf, type Held } from './compare.ts'

/*
 * Keeps a copy of all records with the program of docs/api-clients.md, until it is killed. Each transaction is a line of its file.
 * A kill may cut the last line: that transaction does not count. After a kill it goes on behind the last whole line.
 * It prints a line for each part that it has kept: `list`, or `feed` and the cursor after it.
 */

/** A transaction: what it put into the table, the place after it, and the events that were read for it, in their order. */
export type Part = {
  readonly rows: readonly (readonly [id: string, held: Held])[]
  readonly place: unknown
  readonly events: readonly string[]
}

/** An event in the feed. */
type Listed = { id: string; event: string; payload: { subject?: string; revision?: number } }

const [file = '', turn, ...urls] = process.argv.slice(2)
const client = new SoakClient(urls, process.env['API_KEY'] ?? '', Number(turn))
const parts = readWholeLines<Part>(file)
const revisions = new Map(parts.flatMap(({ rows }) => rows.map(([id, { revision }]) => [id, revision])))
let place = parts.at(-1)?.place
let rows: [string, Held][] = []
let events: string[] = []
let progress = ''

async function get(url: string): Promise<unknown> {
  const reply = await client.ask('GET', url, undefined, 'repeated')
  if (reply.status !== 200) throw new Error(`${url} was answered ${JSON.stringify(reply)}`)
  const isFeed = url.includes('/feed?')
  const listed = isFeed ? (reply.data as Listed[]) : []
  events = listed.map(({ id, event, payload: { subject = id, revision } }) =>
    nameOf(event, subject, revision),
  )
  progress = isFeed ? `feed ${reply.pagination!.next_cursor}` : 'list'
  return reply
}

/** The table that the program asks for. */
const table = {
  place: () => place,
  revisionOf: (id: string) => revisions.get(id),
  put(id: string, revision: number, record: unknown) {
    revisions.set(id, revision)
    rows.push([id, { revision, record }])
  },
  keepPlace: (kept: unknown) => void (place = kept),
  /** A transaction that fails must end the process: what it did is in memory. */
  async transaction(work: () => Promise<void>): Promise<void> {
    rows = []
    await work()
    appendFileSync(file, `\n${JSON.stringify({ rows, place, events } satisfies Part)}`)
    console.log(progress)
  },
}

const dir = await mkdtemp(path.join(path.dirname(file), 'programs-'))
await writePrograms(dir, 'docs/api-clients.md')
const program = (await import(pathToFileURL(path.join(dir, 'copy.mjs')).href)) as {
  readonly copyThenFollow: (source: typeof get, target: typeof table) => Promise<never>
}
await program.copyThenFollow(get, table)
