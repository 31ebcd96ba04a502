import { readMemory, type PerProcess } from './costs.ts'
import type { Figure } from './figure.ts'
import { clearTables, discardWork, FAILING, FAILING_FIFTH, FAN_OUT, HISTORY, WEBHOOKS } from './fixture.ts'
import { runPhase, warmUp, type Phase } from './phase.ts'
import type { LoadStack } from './stack.ts'

/* The topics that accept and deliver at once: deliver, processes and steady. */

/** An open loop is skipped when its rate is more than this many times the highest rate measured. */
const HOPELESS_RATIO = 2
const COLD_EVENTS = 6_000

/** Measures accepting and delivering at once, with endpoints that behave in different ways. */
export async function measureDeliver(stack: LoadStack): Promise<Figure[]> {
  const { isQuick, seconds } = stack.plan
  let rate = await warmUp(stack)
  // A quick run only looks for losses, repeats and figures that are far off.
  const [least, most] = isQuick ? [5, 40] : [20, 50_000]
  /** Publishes, as fast as it can, as many events as a phase delivers, or a share of them. */
  const burst = (what: string, more: Partial<Phase> = {}, share = 1) => {
    const count = Math.round(Math.min(most, Math.max(least, rate * seconds * share)))
    return runPhase(stack, { what, load: { count }, ...more })
  }
  const endToEnd = await burst('end to end')
  rate = Math.max(rate, endToEnd.perSecond ?? 0)
  const figures = [endToEnd]
  if (!isQuick) figures.push(await burst('end to end', { receiverMs: 50 }))
  figures.push(await burst('fan-out 10, deliveries', FAN_OUT, 1 / 10))
  for (const perSecond of [20, 200]) figures.push(await paced(stack, perSecond, rate))
  if (!isQuick) figures.push(await burst('20 % of endpoints fail once', FAILING))
  figures.push(await burst('every fifth event fails once', FAILING_FIFTH))
  // These come last, because they stop the worker.
  if (!isQuick && stack.lane === 'direct') figures.push(await coldStart(stack))
  figures.push(await burst('drain', { isDrain: true }))
  return figures
}

/** @param rate the highest rate measured, in deliveries a second */
async function paced(stack: LoadStack, perSecond: number, rate: number): Promise<Figure> {
  const what = `open loop, ${perSecond}/s`
  if (rate * HOPELESS_RATIO < perSecond)
    return { what, webhooks: WEBHOOKS, receiverMs: 0, cannot: `delivers ${Math.round(rate)}/s` }
  const load = { perSecond, seconds: stack.plan.pacedSeconds }
  const figure = await runPhase(stack, { what, load })
  if (figure.cannot === undefined) return figure
  await discardWork(stack)
  await warmUp(stack)
  return figure
}

/** Measures the first events after a boot. Api and worker are new; database and endpoints are warm. */
async function coldStart(stack: LoadStack): Promise<Figure> {
  await stack.stopWorker()
  await clearTables(stack)
  await stack.startWorker()
  const api = await stack.startMore('server')
  const load = { count: COLD_EVENTS, ports: [api.port] }
  const what = `cold start, the first ${COLD_EVENTS.toLocaleString('en-US')} events`
  return runPhase(stack, { what, load }).finally(() => api.stop())
}

/**
 * 200 events a second through more and more processes on this machine, as many apis as workers: what each further one costs an
 * event with its polls, heartbeats, claims and shards of figures. All first attempts are direct.
 */
export async function measureProcesses(stack: LoadStack): Promise<Figure[]> {
  await stack.useLane('direct')
  await warmUp(stack)
  const figures: Figure[] = []
  const more: { stop: () => Promise<unknown> }[] = []
  const ports = [stack.apiPort]
  for (const count of [1, 2, 4, 8]) {
    while (ports.length < count) {
      const api = await stack.startMore('server')
      more.push(api, await stack.startMore('worker'))
      ports.push(api.port)
    }
    const load = { perSecond: 200, seconds: stack.plan.pacedSeconds, ports }
    const phase = { what: `${count} api + ${count} worker, 200/s`, load }
    // Not counted: each new process compiles its code once, which is the cost of a boot.
    await runPhase(stack, phase)
    figures.push(await runPhase(stack, phase))
  }
  for (const { stop } of more) await stop()
  return figures
}

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
  const load = { count: Math.max(20, Math.round(rate * CHUNK_SECONDS)) }
  const startedMs = performance.now()
  const elapsed = () => (performance.now() - startedMs) / 1000
  const longest = stack.plan.seconds * PHASES
  const sums = { events: 0, lost: 0, duplicates: 0 }
  let early: PerProcess | undefined
  while (sums.events < WANTED && elapsed() < longest) {
    // Each chunk goes on where the last one ended.
    const figure = await runPhase(stack, { what: '', load, goesOn: sums.events > 0 })
    const { events = 0, lost = 0, duplicates = 0, cannot } = figure
    sums.events += events
    sums.lost += lost
    sums.duplicates += duplicates
    if (cannot !== undefined) break
    if (Math.max(sums.events / WANTED, elapsed() / longest) >= EARLY)
      early ??= await readMemory(stack.pids, 'VmRSS')
  }
  const late = await readMemory(stack.pids, 'VmRSS')
  const number = (value: number) => value.toLocaleString('en-US')
  const bound = sums.events < WANTED ? `, of ${number(WANTED)}, in ${Math.round(elapsed())} s` : ''
  const what = `${number(sums.events)} deliveries in a row${bound}`
  const perSecond = sums.events / elapsed()
  const memory = { early: early ?? late, late }
  const bytes = sums.events > 0 ? (await bytesOnDisk(stack)) / sums.events : NaN
  return [{ what, webhooks: WEBHOOKS, receiverMs: 0, perSecond, ...sums, memory, bytes }]
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
