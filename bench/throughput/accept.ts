import { cpuPerThousand, readCpu } from '../support/figures.ts'
import type { Figure } from './figure.ts'
import { EACH_ITS_OWN, subscribe, WEBHOOKS } from './endpoints.ts'
import { countLostRows } from './fixture.ts'
import type { Publishing } from './load.ts'
import type { LoadStack } from './stack.ts'

const CONNECTIONS = [1, 8, 32, 64]
const QUICK_CONNECTIONS = [1, 32]
const BATCH = 100
const BATCH_CONNECTIONS = 8
const RATES = [20, 200]
const WARM_UP_SECONDS = 2

/** Accepting alone: the worker does not run, so deliveries only wait in the outbox. */
export async function measureAccept(stack: LoadStack): Promise<Figure[]> {
  await stack.stopWorker()
  const { seconds, pacedSeconds, isQuick } = stack.plan
  const measure = (what: string, load: Partial<Publishing>) => acceptOnce(stack, what, { seconds, ...load })
  await measure('warm-up', { connections: 32, seconds: Math.min(seconds, WARM_UP_SECONDS) })
  const figures: Figure[] = []
  for (const connections of isQuick ? QUICK_CONNECTIONS : CONNECTIONS)
    figures.push(await measure(`single, ${connectionsText(connections)}`, { connections }))
  const maximum = Math.max(...figures.map(({ perSecond = 0 }) => perSecond))
  const batches = { connections: BATCH_CONNECTIONS, batch: BATCH }
  figures.push(await measure(`batches of ${BATCH}, ${connectionsText(BATCH_CONNECTIONS)}`, batches))
  if (isQuick) return figures
  for (const perSecond of RATES)
    figures.push(await measure(`open loop, ${perSecond}/s`, { perSecond, seconds: pacedSeconds }))
  const half = Math.max(1, Math.floor(maximum / 2))
  return [...figures, await measure('open loop, half of the maximum', { perSecond: half })]
}

/** Such as "1 connection". */
const connectionsText = (count: number): string => `${count} connection${count > 1 ? 's' : ''}`

async function acceptOnce(stack: LoadStack, what: string, load: Omit<Publishing, 'types'>): Promise<Figure> {
  const { types } = EACH_ITS_OWN
  await stack.reset()
  await subscribe(stack)
  const before = await readCpu(stack.pids)
  const { ids, refused, answerMs, startedAt, endedAt } = await stack.publish({ types, ...load })
  return {
    what,
    lane: stack.lane,
    webhooks: WEBHOOKS,
    events: ids.length,
    cpu: cpuPerThousand(before, await readCpu(stack.pids), ids.length),
    lost: await countLostRows(stack, ids),
    perSecond: ids.length / (endedAt - startedAt),
    acceptMs: answerMs,
    refused,
  }
}
