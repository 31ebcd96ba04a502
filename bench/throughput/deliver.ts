import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './figure.ts'
import { clearTables, discardWork, FAILING, FAILING_FIFTH, FAN_OUT, WEBHOOKS } from './fixture.ts'
import { runPhase, warmUp, type Phase } from './phase.ts'
import type { LoadStack } from './stack.ts'

const CONNECTIONS = 32
/** How long a slow endpoint takes to answer. */
const SLOW_MS = 50
const RATES = [20, 200]
/** Least and most events of a burst. A quick run only looks for losses, repeats and figures that are far off. */
const EVENTS = { full: [20, 50_000], quick: [5, 40] } as const
/** An open loop is skipped when its rate is more than this many times the highest rate measured. */
const HOPELESS_RATIO = 2
/** How long deliveries may follow an open loop's last publish. Later ones show that the service does not keep up. */
const PACED_WAIT_MS = 5_000
const COLD_EVENTS = 6_000
const COLD_WAIT_MS = 30_000

/** Measures accepting and delivering at once, with endpoints that behave in different ways. */
export async function measureDeliver(stack: LoadStack): Promise<Figure[]> {
  const { isQuick, seconds } = stack.plan
  let rate = await warmUp(stack)
  const [least, most] = EVENTS[isQuick ? 'quick' : 'full']
  /** Publishes, as fast as it can, as many events as a phase delivers, or a share of them. */
  const burst = (what: string, more: Partial<Phase> = {}, share = 1) => {
    const count = Math.round(Math.min(most, Math.max(least, rate * seconds * share)))
    const waitMs = 3 * Math.max(1, seconds) * 1000 + 5_000
    return runPhase(stack, { what, load: { connections: CONNECTIONS, count }, waitMs, ...more })
  }
  const endToEnd = await burst('end to end')
  rate = Math.max(rate, endToEnd.perSecond ?? 0)
  const figures = [endToEnd]
  if (!isQuick) figures.push(await burst('end to end', { receiverMs: SLOW_MS }))
  figures.push(await burst('fan-out 10, deliveries', { endpoints: FAN_OUT }, 1 / 10))
  for (const perSecond of RATES) figures.push(await paced(stack, perSecond, rate))
  if (!isQuick) figures.push(await burst('20 % of endpoints fail once', { endpoints: FAILING }))
  figures.push(await burst('every fifth event fails once', { endpoints: FAILING_FIFTH }))
  // These come last, because they stop the worker.
  if (!isQuick && stack.lane === 'direct') figures.push(await coldStart(stack))
  figures.push(await burst('drain', { isDrain: true }))
  return figures
}

/** @param rate the highest rate measured, in deliveries a second */
async function paced(stack: LoadStack, perSecond: number, rate: number): Promise<Figure> {
  const what = `open loop, ${perSecond}/s`
  if (rate * HOPELESS_RATIO < perSecond) {
    const cannot = `delivers ${Math.round(rate)}/s`
    return { what, lane: stack.lane, webhooks: WEBHOOKS, receiverMs: 0, cannot }
  }
  const load = { perSecond, seconds: stack.plan.pacedSeconds }
  const figure = await runPhase(stack, { what, load, waitMs: PACED_WAIT_MS })
  if (figure.cannot === undefined) return figure
  await discardWork(stack)
  await sleep(500)
  await warmUp(stack)
  return figure
}

/** Measures the first events after a boot. Api and worker are new; database and endpoints are warm. */
async function coldStart(stack: LoadStack): Promise<Figure> {
  await stack.stopWorker()
  await clearTables(stack)
  await stack.startWorker()
  const api = await stack.startMore('server')
  const load = { connections: CONNECTIONS, count: COLD_EVENTS, ports: [api.port] }
  const what = `cold start, the first ${COLD_EVENTS.toLocaleString('en-US')} events`
  return runPhase(stack, { what, load, waitMs: COLD_WAIT_MS }).finally(() => api.stop())
}
