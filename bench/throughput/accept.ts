import { startCosts } from './costs.ts'
import type { Figure } from './figure.ts'
import { clearTables, countLostRows, EACH_ITS_OWN, subscribe, WEBHOOKS } from './fixture.ts'
import type { Publishing } from './load.ts'
import type { LoadStack } from './stack.ts'

const CONNECTIONS = [1, 8, 32, 64]
const RATES = [20, 200]
const WARM_UP_SECONDS = 2

/** Accepting alone: the worker does not run, so deliveries only wait in the outbox. */
export async function measureAccept(stack: LoadStack): Promise<Figure[]> {
  await stack.stopWorker()
  const { seconds, pacedSeconds } = stack.plan
  const figures: Figure[] = []
  const measure = async (what: string, load: Partial<Publishing>) =>
    figures.push(await acceptOnce(stack, what, { seconds, ...load }))
  await acceptOnce(stack, 'warm-up', { connections: 32, seconds: Math.min(seconds, WARM_UP_SECONDS) })
  for (const connections of CONNECTIONS)
    await measure(`single, ${connections} connection${connections > 1 ? 's' : ''}`, { connections })
  const half = Math.max(1, ...figures.map(({ perSecond = 0 }) => Math.floor(perSecond / 2)))
  await measure('batches of 100, 8 connections', { connections: 8, batch: 100 })
  for (const perSecond of RATES)
    await measure(`open loop, ${perSecond}/s`, { perSecond, seconds: pacedSeconds })
  await measure('open loop, half of the maximum', { perSecond: half })
  return figures
}

async function acceptOnce(stack: LoadStack, what: string, load: Omit<Publishing, 'types'>): Promise<Figure> {
  await clearTables(stack)
  await subscribe(stack)
  const costsOf = await startCosts(stack)
  const published = await stack.publish({ types: EACH_ITS_OWN.types, ...load })
  const { ids, refused, answerMs, startedAt, endedAt } = published
  const { cpu } = await costsOf(ids.length)
  return {
    what,
    lane: stack.lane,
    webhooks: WEBHOOKS,
    events: ids.length,
    cpu,
    lost: await countLostRows(stack, ids),
    perSecond: ids.length / (endedAt - startedAt),
    acceptMs: answerMs,
    refused,
  }
}
