import { waitUntil } from '../../scripts/lib/ready.ts'
import { steadySeconds } from '../support/figures.ts'
import { startCosts, untilAtRest } from './costs.ts'
import type { Figure } from './figure.ts'
import { clearTables, countDeliveries, EACH_ITS_OWN, subscribe, WEBHOOKS, type Endpoints } from './fixture.ts'
import type { Load } from './load.ts'
import type { LoadStack } from './stack.ts'

/** By default each event type has one webhook. */
export type Phase = Partial<Endpoints> & {
  readonly what: string
  /** How long a healthy endpoint takes to answer. */
  readonly receiverMs?: number
  readonly load: Partial<Load>
  /** How long to wait for outstanding deliveries after the answer to the last publish; see `longestWaitMs`. */
  readonly waitMs?: number
  /** The worker starts once all is accepted. */
  readonly isDrain?: boolean
  /** Whether it uses the webhooks and rows of the phase before. */
  readonly goesOn?: boolean
}

/** An open loop that sends less than this share of its rate does not count as that rate. */
const LEAST_SHARE = 0.95

/**
 * Publishes, waits until all is delivered, and compares what arrived with what was accepted.
 *
 * @returns a figure; it has `cannot` when not all was delivered in time, or the rate was not kept
 */
export async function runPhase(stack: LoadStack, phase: Phase): Promise<Figure> {
  const { what, types = EACH_ITS_OWN.types, behaviours = {}, receiverMs = 0 } = phase
  const { load, isDrain, goesOn } = phase
  if (isDrain) await stack.stopWorker()
  if (!goesOn) await clearTables(stack)
  // Afterwards, so that nothing of the phase before is counted.
  await stack.receiver('reset', { latencyMs: receiverMs, behaviours })
  if (!goesOn) await subscribe(stack, phase)
  await untilAtRest(stack)
  const costsOf = await startCosts(stack)
  const published = await stack.publish({ types, ...load })
  const { ids, sent, startedAt, endedAt, refused, answerMs: acceptMs } = published
  if (isDrain) await stack.startWorker()
  const readyAt = steadySeconds()
  /** Healthy endpoints that every event goes to. */
  const each = WEBHOOKS / types.length
  const wanted = ids.length * each
  await stack.receiver('wait', { delivered: wanted, timeoutMs: phase.waitMs ?? longestWaitMs(stack, load) })
  const isRecorded = async () => (await stack.db('outbox').first('id')) === undefined
  await waitUntil('The records', isRecorded, { timeoutMs: 5_000 }).catch(() => undefined)
  await untilAtRest(stack)
  const costs = await costsOf(ids.length)
  const { delivered, duplicates, firstAt, lastAt, receivedMs } = await stack.receiver('figures', sent)
  const isDone = delivered >= wanted
  // What is still open is late, not lost. It is counted first, because more may arrive meanwhile.
  const open = isDone ? 0 : await countDeliveries(stack, "status IN ('pending', 'retrying')")
  const missing = await stack.receiver('countMissing', { ids, each })
  const perSecond = delivered / (lastAt - (isDrain ? Math.min(readyAt, firstAt) : startedAt))
  const acceptPerSecond = ids.length / (endedAt - startedAt)
  const isInPace = load.perSecond === undefined || acceptPerSecond >= LEAST_SHARE * load.perSecond
  return {
    what,
    receiverMs,
    webhooks: WEBHOOKS,
    events: ids.length,
    refused,
    ...(isDrain ? {} : { acceptMs, receivedMs, ...costs, acceptPerSecond }),
    ...(isDone && isInPace
      ? { perSecond }
      : { cannot: `${delivered} of ${wanted} in time, ${perSecond.toFixed(1)}/s` }),
    duplicates,
    lost: Math.max(0, missing - open),
  }
}

/** After an open loop little is outstanding, unless the service does not keep up. A burst may take three phases. */
const longestWaitMs = ({ plan }: LoadStack, { perSecond }: Partial<Load>): number =>
  perSecond === undefined ? Math.max(30_000, 3_000 * plan.seconds + 5_000) : 5_000

/** Workflows deliver few events a second. A worker has compiled its code for direct attempts after some thousand events. */
const WARM_UP_EVENTS = { workflow: 100, direct: 3_000 }

/**
 * Starts the worker if it does not run, and lets every process compile the code that the phases need. Returns about how many events
 * a second are accepted and delivered.
 */
export async function warmUp(stack: LoadStack): Promise<number> {
  await clearTables(stack)
  await stack.startWorker()
  const phase = { what: 'warm-up', load: { count: WARM_UP_EVENTS[stack.lane] } }
  await runPhase(stack, phase)
  const { perSecond, cannot } = await runPhase(stack, phase)
  if (perSecond === undefined) throw new Error(`the warm-up was not delivered: ${cannot}`)
  return perSecond
}
