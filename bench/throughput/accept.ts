import { cpuPerThousand, readCpu } from '../support/figures.ts'
import type { Figure } from './figure.ts'
import { EACH_ITS_OWN } from './endpoints.ts'
import { compareRows } from './fixture.ts'
import type { Plan } from './plan.ts'
import type { LoadStack, Publishing } from './programs.ts'

const CONNECTIONS = [1, 8, 32, 64]
const QUICK_CONNECTIONS = [1, 32]
const BATCH = 100
const BATCH_CONNECTIONS = 8
const RATES = [20, 200]
const WARM_UP_SECONDS = 2
/** Events that a phase leaves at most to a service that goes on delivering meanwhile. */
const MOST_ATTACHED = { full: 1_000, quick: 40 }

/** Such as "1 connection". */
export const connectionsText = (count: number): string => `${count} connection${count > 1 ? 's' : ''}`

/**
 * Accepting alone: the worker does not run, so deliveries only wait in the outbox. A service that ran before keeps its
 * worker, and each phase is short, because what it leaves has to be ended before the next one.
 */
export async function measureAccept(stack: LoadStack, plan: Plan): Promise<Figure[]> {
  const { isAttached } = stack
  if (!isAttached) await stack.stopWorker()
  const limit = isAttached ? { count: MOST_ATTACHED[plan.isQuick ? 'quick' : 'full'] } : {}
  const { seconds, pacedSeconds } = plan
  const measure = (what: string, load: Partial<Publishing>) =>
    acceptOnce(stack, what, { seconds, ...limit, ...load })
  const figures: Figure[] = []
  const halfOfMaximum = () => {
    const singles = figures.filter(({ what }) => what.startsWith('single'))
    const maximum = Math.max(...singles.map(({ perSecond = 0 }) => perSecond))
    return measure('open loop, half of the maximum', { perSecond: Math.max(1, Math.floor(maximum / 2)) })
  }
  const batches = { connections: BATCH_CONNECTIONS, batch: BATCH }
  const steps = [
    ...(plan.isQuick ? QUICK_CONNECTIONS : CONNECTIONS).map(
      (connections) => () => measure(`single, ${connectionsText(connections)}`, { connections }),
    ),
    () => measure(`batches of ${BATCH}, ${connectionsText(BATCH_CONNECTIONS)}`, batches),
    ...(plan.isQuick ? [] : RATES).map(
      (perSecond) => () => measure(`open loop, ${perSecond}/s`, { perSecond, seconds: pacedSeconds }),
    ),
    ...(plan.isQuick || isAttached ? [] : [halfOfMaximum]),
  ]
  await measure('warm-up', { connections: 32, seconds: Math.min(seconds, WARM_UP_SECONDS) })
  for (const step of steps) if (!plan.isOver()) figures.push(await step())
  return figures
}

type Accept = Omit<Publishing, 'types'> & { readonly prepare?: () => Promise<unknown> }

/** @param load prepare: in place of emptying the tables and subscribing */
export async function acceptOnce(
  stack: LoadStack,
  what: string,
  { prepare, ...load }: Accept,
): Promise<Figure> {
  const { types } = EACH_ITS_OWN
  if (prepare === undefined) {
    await stack.reset()
    await EACH_ITS_OWN.subscribe(stack)
  } else await prepare()
  const before = await readCpu(stack.pids)
  const { ids, refused, answerMs, startedAt, endedAt } = await stack.publish({ types, ...load })
  const cpu = cpuPerThousand(before, await readCpu(stack.pids), ids.length)
  const rows = await compareRows(stack, { ids, each: 1 })
  return {
    topic: 'accept',
    what,
    lane: stack.lane,
    webhooks: types.length,
    events: ids.length,
    cpu,
    ...rows,
    perSecond: ids.length / (endedAt - startedAt),
    acceptMs: answerMs,
    refused,
  }
}
