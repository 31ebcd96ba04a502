import { fillHistory } from '../lists/fill.ts'
import { fillRows } from '../support/fill.ts'
import { useLargeBufferPool } from '../support/stack.ts'
import { acceptOnce, connectionsText } from './accept.ts'
import { mergeRounds, type Figure } from './figure.ts'
import { EACH_ITS_OWN } from './endpoints.ts'
import { removeOpenWork, subscribe } from './fixture.ts'
import { runPhase, warmUp, type Phase } from './phase.ts'
import type { Plan } from './plan.ts'
import type { LoadStack } from './programs.ts'

const WEBHOOKS = 1_000
/** Types that nobody publishes here. */
const OTHER_TYPES = ['activity.created', 'task.created', 'task.completed']
const CREATORS = 8
const PACED = 20
const PACED_WAIT_MS = 5_000

/**
 * The same figures on an empty database and on one with `--old` old deliveries (1,000,000) and 1,000 webhooks, both with a large
 * buffer pool. The rounds take place here, because the database is filled once.
 */
export async function measureGrowth(stack: LoadStack, plan: Plan): Promise<Figure[]> {
  const { db, companyId, env } = stack
  await stack.useLane(plan.lanes.at(-1) ?? 'direct')
  await useLargeBufferPool(db)
  const rate = await warmUp(stack, plan)
  await stack.reset()
  const { types } = EACH_ITS_OWN
  await EACH_ITS_OWN.subscribe(stack)
  const empty = await measureAll(stack, plan, rate, { old: 'empty', webhooks: types.length })
  if (plan.isOver()) return empty
  await stack.stopWorker()
  await removeOpenWork(stack)
  await db('webhook_counters').delete()
  const webhookIds: string[] = await db('webhooks').pluck('id')
  const databaseUrl = env['DATABASE_URL'] ?? ''
  await fillHistory(databaseUrl, db, { companyId, webhookIds, count: plan.oldDeliveries })
  // Those that were filled in as parked: their webhooks are active, so the worker would send them.
  await fillRows(databaseUrl, [
    `UPDATE deliveries SET status = 'success', attempts = 1, parked_at = NULL, delivered_at = created_at, closed_at = created_at
     WHERE parked_at IS NOT NULL`,
  ])
  await createOthers(stack, WEBHOOKS - types.length)
  const old = `${plan.oldDeliveries.toLocaleString('en-US')} old deliveries`
  return [...empty, ...(await measureAll(stack, plan, rate, { old, webhooks: WEBHOOKS }))]
}

/** @param names of what the database holds */
async function measureAll(
  stack: LoadStack,
  plan: Plan,
  rate: number,
  { old, webhooks }: { old: string; webhooks: number },
): Promise<Figure[]> {
  const { seconds } = plan
  const prepare = () => removeOpenWork(stack)
  const named = (figure: Figure) => ({ ...figure, topic: 'growth', what: `${figure.what}: ${old}`, webhooks })
  const accept = async (connections: number) => {
    const what = `accept, ${connectionsText(connections)}`
    return named(await acceptOnce(stack, what, { seconds, connections, prepare }))
  }
  const deliver = async (what: string, load: Phase['load']) => {
    const waitMs = load.perSecond === undefined ? 3 * seconds * 1000 : PACED_WAIT_MS
    return named(await runPhase(stack, plan, { topic: 'growth', what, load, waitMs, prepare }))
  }
  const rounds: Figure[][] = []
  for (let round = 0; round < plan.rounds && !plan.isOver(); round++) {
    await stack.stopWorker()
    // The api compiles on its first requests; neither side of the comparison may pay for that.
    await accept(32)
    const accepted = [await accept(1), await accept(32)]
    await removeOpenWork(stack)
    await stack.startWorker()
    await deliver('warm-up', { connections: 32, count: 100 })
    const burst = { connections: 32, count: Math.max(20, Math.round(rate * seconds)) }
    const delivered = [await deliver('end to end', burst)]
    delivered.push(await deliver(`open loop, ${PACED}/s`, { perSecond: PACED, seconds: plan.pacedSeconds }))
    rounds.push([...accepted, ...delivered])
  }
  return mergeRounds(rounds)
}

/** @param count webhooks that get nothing */
async function createOthers(stack: LoadStack, count: number): Promise<void> {
  let left = count
  const create = async () => {
    while (left-- > 0) await subscribe(stack, { path: '/other', types: OTHER_TYPES })
  }
  await Promise.all(Array.from({ length: CREATORS }, create))
}
