import { startChild, type Child } from '../support/child.ts'
import { cpuPerThousand, readCpu, type Times } from '../support/figures.ts'
import type { Figure } from './figure.ts'
import { TYPES } from './fixture.ts'
import type * as programs from './floors/programs.ts'
import type { Plan } from './plan.ts'
import type { LoadStack, Publishing } from './programs.ts'

const CONNECTIONS = 32
/** Events a second of the open loops of `accept` and `deliver`, which so have floors beside them. */
const RATES = [20, 200]
const SENDER_ENDPOINTS = 10

type Programs = Child<typeof programs>
type Load = Pick<Publishing, 'connections' | 'perSecond' | 'seconds'>

const startPrograms = (): Promise<Programs> =>
  startChild<typeof programs>(new URL('./floors/programs.ts', import.meta.url))

/** What a program did; `cpuSeconds`: of its process, for `count`; `total`: what the servers did besides, as a warm-up. */
export type FloorResult = {
  readonly count: number
  readonly total?: number
  readonly perSecond: number
  readonly cpuSeconds: number
  readonly milliseconds?: Times
}

/** What the parts can do by themselves on this machine: no service that is built on them can be faster. */
export async function measureFloors(stack: LoadStack, plan: Plan): Promise<Figure[]> {
  await stack.stopWorker()
  await stack.reset()
  const { seconds, pacedSeconds } = plan
  const { env } = stack
  const url = env['DATABASE_URL'] ?? ''
  const workflow = (what: string, name: 'bareWorkflow' | 'emptyWorkflow') => () => {
    const options = { address: env['TEMPORAL_ADDRESS'] ?? '', seconds, inFlight: CONNECTIONS, workflow: name }
    return measure(stack, what, 'worker', (call) => call('runBareWorkflows', options))
  }
  const inserts = 'inserts of 1 KB with a commit each'
  const burstOfInserts = () =>
    measure(stack, `${inserts}, ${CONNECTIONS} connections`, 'api', (call) =>
      call('insertRows', { url, connections: CONNECTIONS, seconds }),
    )
  const pacedInserts = (perSecond: number) => () =>
    measure(stack, `${inserts}, 1 connection, ${perSecond}/s`, 'api', (call) =>
      call('insertAtRate', { url, perSecond, seconds: pacedSeconds }),
    )
  const koa = (how: string, load: Load) => () => measureKoa(stack, plan, how, load)
  const sender = async () => {
    await stack.receiver('reset', {})
    const urls = Array.from({ length: SENDER_ENDPOINTS }, (_, n) => stack.endpoint(`/${n}`))
    const options = { urls, caFile: env['WEBHOOK_CA_FILE'] ?? '', perUrl: 10, seconds }
    const what = 'signed and posted over TLS, without a database'
    return measure(stack, what, 'worker', (call) => call('postSigned', options))
  }
  const paced = RATES.flatMap((perSecond) => [
    pacedInserts(perSecond),
    koa(`${perSecond}/s`, { perSecond, seconds: pacedSeconds }),
  ])
  const floors = [
    workflow('workflows that do nothing', 'emptyWorkflow'),
    workflow('workflows with one activity that does nothing', 'bareWorkflow'),
    burstOfInserts,
    koa(`${CONNECTIONS} connections`, { connections: CONNECTIONS, seconds }),
    sender,
    ...(plan.isQuick ? [] : paced),
  ]
  const figures: Figure[] = []
  for (const floor of floors) if (!plan.isOver()) figures.push(await floor())
  return figures
}

/** @param part the process of the service whose place the program takes */
async function measure(
  stack: LoadStack,
  what: string,
  part: string,
  run: (call: Programs['call']) => Promise<FloorResult>,
): Promise<Figure> {
  const { call, end } = await startPrograms()
  const before = await readCpu(stack.pids)
  const { count, total = count, perSecond, cpuSeconds, milliseconds } = await run(call).finally(end)
  const cpu = cpuPerThousand(before, await readCpu(stack.pids), total)
  const figure = { topic: 'floors', what, events: count, perSecond }
  // The timer that keeps the rate costs the program more than the little work that it does.
  if (milliseconds) return { ...figure, acceptMs: milliseconds }
  return { ...figure, cpu: { ...cpu, [part]: (cpuSeconds * 1000) / count } }
}

/** What a bare Koa does at the load of a publish. */
async function measureKoa(
  stack: LoadStack,
  { eventBytes, seconds }: Plan,
  how: string,
  load: Load,
): Promise<Figure> {
  const child = await startPrograms()
  try {
    const port = await child.call('serveKoa')
    const publishing = { types: TYPES, eventBytes, ports: [port] }
    await stack.publish({ ...publishing, connections: CONNECTIONS, seconds: Math.min(1, seconds) })
    const pids = new Map([['api', child.pid]])
    const before = await readCpu(pids)
    const { requests, answerMs, startedAt, endedAt } = await stack.publish({ ...publishing, ...load })
    const cpu = cpuPerThousand(before, await readCpu(pids), requests)
    const what = `answers of Koa to a publish, ${how}`
    const perSecond = requests / (endedAt - startedAt)
    return { topic: 'floors', what, events: requests, perSecond, acceptMs: answerMs, cpu }
  } finally {
    await child.end()
  }
}
