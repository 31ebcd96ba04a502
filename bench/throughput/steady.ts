import { readMemory, type PerProcess } from './costs.ts'
import type { Figure } from './figure.ts'
import { HISTORY, WEBHOOKS } from './fixture.ts'
import { runPhase, warmUp } from './phase.ts'
import type { LoadStack } from './stack.ts'

const WANTED = 200_000
/** A lane lasts at most this many times as long as a phase. */
const PHASES = 30
/** The memory after this share of the run is compared with the memory at the end. */
const EARLY = 0.25
/** Seconds of work that are accepted at a time, so that the backlog stays small. */
const CHUNK_SECONDS = 5

/** Delivers 200,000 events in a row, or as many as the time allows, and measures whether memory stays flat. */
export async function measureSteady(stack: LoadStack): Promise<Figure[]> {
  const rate = await warmUp(stack)
  const load = { connections: 32, count: Math.max(20, Math.round(rate * CHUNK_SECONDS)) }
  const startedMs = performance.now()
  const elapsed = () => (performance.now() - startedMs) / 1000
  const longest = stack.plan.seconds * PHASES
  const sums = { events: 0, lost: 0, duplicates: 0 }
  /** The next chunk goes on where the last one ended. */
  let goesOn = false
  let early: PerProcess | undefined
  while (sums.events < WANTED && elapsed() < longest) {
    const phase = { what: '', load, waitMs: 30_000, goesOn }
    const { events = 0, lost = 0, duplicates = 0, cannot } = await runPhase(stack, phase)
    sums.events += events
    sums.lost += lost
    sums.duplicates += duplicates
    if (cannot !== undefined) break
    goesOn = true
    if (Math.max(sums.events / WANTED, elapsed() / longest) >= EARLY)
      early ??= await readMemory(stack.pids, 'VmRSS')
  }
  const late = await readMemory(stack.pids, 'VmRSS')
  const number = (value: number) => value.toLocaleString('en-US')
  const bound = sums.events < WANTED ? `, of ${number(WANTED)}, in ${Math.round(elapsed())} s` : ''
  const figure: Figure = {
    what: `${number(sums.events)} deliveries in a row${bound}`,
    lane: stack.lane,
    webhooks: WEBHOOKS,
    receiverMs: 0,
    perSecond: sums.events / elapsed(),
    ...sums,
    memory: { early: early ?? late, late },
    bytes: sums.events > 0 ? (await bytesOnDisk(stack)) / sums.events : NaN,
  }
  return [figure]
}

/** What the tables of the history take with their indexes, by the server's estimate after it has counted anew. */
async function bytesOnDisk({ db }: LoadStack): Promise<number> {
  for (const table of HISTORY) await db.raw('ANALYZE TABLE ??', [table])
  const tables = db('information_schema.tables').where('table_schema', db.raw('DATABASE()'))
  const [row] = await tables
    .whereIn('table_name', HISTORY)
    .select<{ bytes: string }[]>(db.raw('SUM(data_length + index_length) AS bytes'))
  return Number(row?.bytes)
}
