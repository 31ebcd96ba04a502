import { startChild } from '../support/child.ts'
import { startCosts } from './costs.ts'
import type { Figure } from './figure.ts'
import { discardWork, EACH_ITS_OWN, PATHS } from './fixture.ts'
import type * as programs from './floors/programs.ts'
import type { LoadStack } from './stack.ts'

const CONNECTIONS = 32
const WARM_UP_SECONDS = 2
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
  const port = await call(prepare, {
    address: stack.env['TEMPORAL_ADDRESS'] ?? '',
    databaseUrl: stack.databaseUrl,
    urls: PATHS.map((path) => stack.endpoint(path)),
    caFile: stack.env['WEBHOOK_CA_FILE'] ?? '',
    atOnce: CONNECTIONS,
  })
  const { types } = EACH_ITS_OWN
  // A program with a port serves publishes.
  const run = async (seconds: number) =>
    typeof port === 'number'
      ? stack.publish({ types, ports: [port], connections: CONNECTIONS, seconds })
      : { ...(await call('runLoops', seconds)), answerMs: undefined }
  await run(WARM_UP_SECONDS)
  const costsOf = await startCosts({ db: stack.db, pids: new Map([...stack.pids, [part, pid]]) })
  const { requests: events, startedAt, endedAt, answerMs: acceptMs } = await run(stack.plan.seconds)
  const { cpu } = await costsOf(events)
  await end()
  return { what, events, perSecond: events / (endedAt - startedAt), ...(acceptMs && { acceptMs }), cpu }
}
