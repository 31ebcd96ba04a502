import { startChild, type Child } from '../support/child.ts'
import { cpuPerThousand, readCpu } from '../support/figures.ts'
import type { Figure } from './figure.ts'
import { TYPES } from './fixture.ts'
import type * as programs from './floors/programs.ts'
import type { Plan } from './plan.ts'
import type { LoadStack } from './stack.ts'

const CONNECTIONS = 32
const SENDER_ENDPOINTS = 10

type Programs = Child<typeof programs>

const startPrograms = (): Promise<Programs> =>
  startChild<typeof programs>(new URL('./floors/programs.ts', import.meta.url))

/** What a program did. `cpuSeconds`: what its process used for `count`; `total`: the count with the warm-up, if any. */
export type FloorResult = {
  readonly count: number
  readonly total?: number
  readonly perSecond: number
  readonly cpuSeconds: number
}

/** Measures what each part can do alone on this machine. No service built on them can be faster. */
export async function measureFloors(stack: LoadStack, plan: Plan): Promise<Figure[]> {
  await stack.stopWorker()
  await stack.reset()
  await stack.receiver('reset', {})
  const { seconds } = plan
  const { env, databaseUrl: url } = stack
  const urls = Array.from({ length: SENDER_ENDPOINTS }, (_, n) => stack.endpoint(`/${n}`))
  const workflows = { address: env['TEMPORAL_ADDRESS'] ?? '', seconds, inFlight: CONNECTIONS }
  const posts = { urls, caFile: env['WEBHOOK_CA_FILE'] ?? '', perUrl: 10, seconds }
  const figures = [
    await measure(stack, 'workflows with one activity that does nothing', 'worker', (call) =>
      call('runBareWorkflows', workflows),
    ),
    await measureKoa(stack, plan),
  ]
  // A quick run compares with these two alone.
  if (plan.isQuick) return figures
  return [
    ...figures,
    await measure(stack, `inserts of 1 KB with a commit each, ${CONNECTIONS} connections`, 'api', (call) =>
      call('insertRows', { url, connections: CONNECTIONS, seconds }),
    ),
    await measure(stack, 'signed and posted over TLS, without a database', 'worker', (call) =>
      call('postSigned', posts),
    ),
  ]
}

/** @param part the process of the service that the program stands for */
async function measure(
  stack: LoadStack,
  what: string,
  part: string,
  run: (call: Programs['call']) => Promise<FloorResult>,
): Promise<Figure> {
  const { call, end } = await startPrograms()
  const before = await readCpu(stack.pids)
  const { count, total = count, perSecond, cpuSeconds } = await run(call).finally(end)
  const cpu = cpuPerThousand(before, await readCpu(stack.pids), total)
  return {
    topic: 'floors',
    what,
    events: count,
    perSecond,
    cpu: { ...cpu, [part]: (cpuSeconds * 1000) / count },
  }
}

/** Measures a bare Koa under the load of a publish. */
async function measureKoa(stack: LoadStack, { seconds }: Plan): Promise<Figure> {
  const child = await startPrograms()
  try {
    const port = await child.call('serveKoa')
    const publishing = { types: TYPES, ports: [port], connections: CONNECTIONS }
    await stack.publish({ ...publishing, seconds: Math.min(1, seconds) })
    const pids = new Map([['api', child.pid]])
    const before = await readCpu(pids)
    const { requests, answerMs, startedAt, endedAt } = await stack.publish({ ...publishing, seconds })
    const cpu = cpuPerThousand(before, await readCpu(pids), requests)
    const what = `answers of Koa to a publish, ${CONNECTIONS} connections`
    const perSecond = requests / (endedAt - startedAt)
    return { topic: 'floors', what, events: requests, perSecond, acceptMs: answerMs, cpu }
  } finally {
    await child.end()
  }
}
