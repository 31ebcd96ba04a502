import { startChild, type Child } from '../support/child.ts'
import { cpuPerThousand, readCpu } from '../support/figures.ts'
import { EACH_ITS_OWN, WEBHOOKS } from './endpoints.ts'
import type { Figure } from './figure.ts'
import { discardWork } from './fixture.ts'
import type * as programs from './floors/programs.ts'
import type { LoadStack } from './stack.ts'

const CONNECTIONS = 32
const WARM_UP_SECONDS = 2

type Call = Child<typeof programs>['call']
/** `part`: the part of the service in whose place the program runs; `prepare`: returns a port if the program serves publishes. */
type Floor = readonly [what: string, part: 'api' | 'worker', prepare: (call: Call) => Promise<unknown>]

/** Measures what each part can do alone on this machine. No service built on them can be faster. */
export async function measureFloors(stack: LoadStack): Promise<Figure[]> {
  const { isQuick, seconds } = stack.plan
  await discardWork(stack)
  await stack.receiver('reset', {})
  const { env, databaseUrl: url } = stack
  const bare = { address: env['TEMPORAL_ADDRESS'] ?? '', inFlight: CONNECTIONS }
  const urls = Array.from({ length: WEBHOOKS }, (_, n) => stack.endpoint(`/${n}`))
  const posts = { urls, caFile: env['WEBHOOK_CA_FILE'] ?? '', perUrl: 10 }
  const inserts = { url, connections: CONNECTIONS }
  const floors: readonly Floor[] = [
    ['workflows with one activity that does nothing', 'worker', (call) => call('prepareWorkflows', bare)],
    [`answers of Koa to a publish, ${CONNECTIONS} connections`, 'api', (call) => call('serveKoa')],
    [
      `inserts of 1 KB with a commit each, ${CONNECTIONS} connections`,
      'api',
      (call) => call('prepareInserts', inserts),
    ],
    ['signed and posted over TLS, without a database', 'worker', (call) => call('preparePosts', posts)],
  ]
  const figures: Figure[] = []
  // A quick run compares with the first two alone.
  for (const floor of isQuick ? floors.slice(0, 2) : floors)
    figures.push(await measure(stack, floor, seconds))
  await stack.db.raw('DROP TABLE IF EXISTS bench_rows')
  await discardWork(stack)
  return figures
}

/** Measures a program in a process of its own, after it has warmed up. */
async function measure(stack: LoadStack, [what, part, prepare]: Floor, seconds: number): Promise<Figure> {
  const program = new URL('./floors/programs.ts', import.meta.url)
  const { call, pid, end } = startChild<typeof programs>(program)
  const port = await prepare(call)
  const { types } = EACH_ITS_OWN
  const run = async (lasting: number) =>
    typeof port === 'number'
      ? stack.publish({ types, ports: [port], connections: CONNECTIONS, seconds: lasting })
      : { ...(await call('runLoops', lasting)), answerMs: undefined }
  await run(WARM_UP_SECONDS)
  const pids = new Map([...stack.pids, [part, pid]])
  const before = await readCpu(pids)
  const { requests: events, startedAt, endedAt, answerMs: acceptMs } = await run(seconds)
  const cpu = cpuPerThousand(before, await readCpu(pids), events)
  await end()
  return { what, events, perSecond: events / (endedAt - startedAt), ...(acceptMs && { acceptMs }), cpu }
}
