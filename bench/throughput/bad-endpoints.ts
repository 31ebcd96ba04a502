import { createWebhook } from '../support/fill.ts'
import { untilAtRest } from './costs.ts'
import type { Figure } from './figure.ts'
import { clearTables, countDeliveries, discardWork, EACH_ITS_OWN, FAILING } from './fixture.ts'
import { runPhase, warmUp } from './phase.ts'
import type { LoadStack } from './stack.ts'

const [OURS = '', OTHERS = ''] = EACH_ITS_OWN.types
const OTHER_PATH = '/other'
/** Events a second for a healthy neighbour, by the way to a first attempt: workflows take few. */
const NEIGHBOUR = { workflow: 20, direct: 100 }
/** The events come this many times as long as a phase: a minute with phases of 5 s. */
const PHASES = 12

/** What the neighbour has beside it. The healthy one shows what the same events cost while their endpoint is well. */
const SAYS = {
  none: 'a neighbour alone',
  nobody: 'beside 1,000/s that no webhook gets',
  healthy: 'beside a healthy endpoint that gets 1,000/s',
  dead: 'beside a dead endpoint that gets 1,000/s',
  hung: 'beside a hung endpoint that gets 1,000/s',
}
type Other = keyof typeof SAYS

/** A healthy endpoint beside one that gets 1,000 events a second and is dead or never answers: what the neighbour notices. */
export async function measureBadEndpoints(stack: LoadStack): Promise<Figure[]> {
  await warmUp(stack)
  // Otherwise, in the direct lane, the first workflow of a process would be a retry to the dead endpoint, and the neighbour would
  // wait while the code of workflows is loaded. Retries that are so late are made by workflows.
  const retries = { ...FAILING, retrySchedule: [12], load: { count: 100 }, waitMs: 40_000 }
  const { cannot } = await runPhase(stack, { what: 'warm-up of retries', ...retries })
  if (cannot !== undefined) throw new Error(`the retries of the warm-up were not delivered: ${cannot}`)
  const figures: Figure[] = []
  for (const other of Object.keys(SAYS) as Other[])
    // Workflows cannot deliver 1,000/s.
    if (other !== 'healthy' || stack.lane === 'direct') figures.push(await beside(stack, other))
  await discardWork(stack)
  return figures
}

async function beside(stack: LoadStack, other: Other): Promise<Figure> {
  const { api, endpoint } = stack
  const isBad = other === 'dead' || other === 'hung'
  const isSubscribed = isBad || other === 'healthy'
  await clearTables(stack)
  await stack.receiver('reset', { behaviours: { [OTHER_PATH]: other === 'hung' ? 'hang' : 'uncounted' } })
  await createWebhook(api, { url: endpoint('/neighbour'), events: [OURS] })
  const url = other === 'dead' ? stack.deadEndpoint : endpoint(OTHER_PATH)
  if (isSubscribed) await createWebhook(api, { url, events: [OTHERS] })
  await untilAtRest(stack)
  const seconds = stack.plan.seconds * PHASES
  const publish = (type: string, perSecond: number) => stack.publish({ types: [type], seconds, perSecond })
  const [ours] = await Promise.all([
    publish(OURS, NEIGHBOUR[stack.lane]),
    other === 'none' ? undefined : publish(OTHERS, 1_000),
  ])
  await stack.receiver('wait', { delivered: ours.ids.length, timeoutMs: 5_000 })
  const { receivedMs, duplicates, delivered, lastAt } = await stack.receiver('figures', ours.sent)
  const lost = await stack.receiver('countMissing', { ids: ours.ids, each: 1 })
  const workflows = await countDeliveries(stack, `in_temporal = 1 AND event_type = '${OTHERS}'`)
  return {
    what: `${SAYS[other]}${isBad ? `; ${workflows} of its deliveries have a workflow` : ''}`,
    webhooks: isSubscribed ? 2 : 1,
    receiverMs: 0,
    events: ours.ids.length,
    perSecond: delivered / (lastAt - ours.startedAt),
    acceptMs: ours.answerMs,
    receivedMs,
    duplicates,
    lost,
  }
}
