import { startChild } from '../support/child.ts'
import { startCosts } from './costs.ts'
import type { Figure } from './figure.ts'
import { clearTables, countLostRows, discardWork, PATHS, subscribe, WEBHOOKS } from './fixture.ts'
import type * as programs from './floors/programs.ts'
import type { Load } from './load.ts'
import { CONNECTIONS, type LoadStack } from './stack.ts'

/* The topics in which nothing is delivered: accept and floors. */

const WARM_UP_SECONDS = 2

/** Accepting alone: the worker does not run, so deliveries only wait in the outbox. */
export async function measureAccept(stack: LoadStack): Promise<Figure[]> {
  await stack.stopWorker()
  const { seconds, pacedSeconds } = stack.plan
  const figures: Figure[] = []
  const measure = async (what: string, load: Partial<Load>) =>
    figures.push(await acceptOnce(stack, what, { seconds, ...load }))
  await acceptOnce(stack, 'warm-up', { seconds: Math.min(seconds, WARM_UP_SECONDS) })
  for (const connections of [1, 8, 32, 64])
    await measure(`single, ${connections} connection${connections > 1 ? 's' : ''}`, { connections })
  const half = Math.max(1, ...figures.map(({ perSecond = 0 }) => Math.floor(perSecond / 2)))
  await measure('batches of 100, 8 connections', { connections: 8, batch: 100 })
  for (const perSecond of [20, 200])
    await measure(`open loop, ${perSecond}/s`, { perSecond, seconds: pacedSeconds })
  await measure('open loop, half of the maximum', { perSecond: half })
  return figures
}

async function acceptOnce(stack: LoadStack, what: string, load: Partial<Load>): Promise<Figure> {
  await clearTables(stack)
  await subscribe(stack)
  const costsOf = await startCosts(stack)
  const { ids, refused, answerMs, startedAt, endedAt } = await stack.publish(load)
  const { cpu } = await costsOf(ids.length)
  return {
    what,
    webhooks: WEBHOOKS,
    events: ids.length,
    cpu,
    lost: await countLostRows(stack, ids),
    perSecond: ids.length / (endedAt - startedAt),
    acceptMs: answerMs,
    refused,
  }
}

/** The part of the service in whose place a program runs, and the function that prepares it. */
const FLOORS = [
  ['workflows with one activity that does nothing', 'worker', 'prepareWorkflows'],
  [`answers of Koa to a publish, ${CONNECTIONS} connections`, 'api', 'serveKoa'],
  [`inserts of 1 KB with a commit each, ${CONNECTIONS} connections`, 'api', 'prepareInserts'],
  ['signed and posted over TLS, without a database', 'worker', 'preparePosts'],
] as const

/** Measures what each part can do alone on this machine. No service built on them can be faster. */
export async function measureFloors(stack: LoadStack): Promise<Figure[]> {
  await discardWork(stack)
  await stack.receiver('reset', {})
  const figures: Figure[] = []
  // A quick run compares with the first two alone.
  for (const floor of stack.plan.isQuick ? FLOORS.slice(0, 2) : FLOORS)
    figures.push(await measure(stack, floor))
  await stack.db.raw('DROP TABLE IF EXISTS bench_rows')
  await discardWork(stack)
  return figures
}

/** Measures a program in a process of its own, after it has warmed up. */
async function measure(stack: LoadStack, [what, part, prepare]: (typeof FLOORS)[number]): Promise<Figure> {
  const { call, pid, end } = startChild<typeof programs>(new URL('./floors/programs.ts', import.meta.url))
  const urls = PATHS.map((path) => stack.endpoint(path))
  const port = await call(prepare, { env: stack.env, urls, atOnce: CONNECTIONS })
  // A program with a port serves publishes.
  const run = async (seconds: number) =>
    typeof port === 'number'
      ? stack.publish({ ports: [port], seconds })
      : { ...(await call('runLoops', seconds)), answerMs: undefined }
  await run(WARM_UP_SECONDS)
  const costsOf = await startCosts({ db: stack.db, pids: new Map([...stack.pids, [part, pid]]) })
  const { requests: events, startedAt, endedAt, answerMs: acceptMs } = await run(stack.plan.seconds)
  const { cpu } = await costsOf(events)
  await end()
  const perSecond = events / (endedAt - startedAt)
  return { what, lane: '', events, perSecond, ...(acceptMs && { acceptMs }), cpu }
}
