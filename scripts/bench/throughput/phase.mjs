import { steadySeconds } from './clock.mjs'
import { countOpen, waitForRecords } from './fixture.mjs'
import { cpuPerThousand, readCpu, untilAtRest } from './processes.mjs'

/**
 * @typedef {import('./stack.mjs').BenchStack} BenchStack
 * @typedef {import('./figure.mjs').Figure} Figure
 * @typedef {import('./plan.mjs').Plan} Plan
 *
 * @typedef {object} Phase
 * @property {string} topic
 * @property {string} what
 * @property {import('./endpoints.mjs').Endpoints} endpoints
 * @property {number} receiverMs how long a healthy endpoint takes to answer
 * @property {{ connections?: number, count?: number, perSecond?: number, seconds?: number }} load of load.mjs; an open loop with `perSecond`
 * @property {number} waitMs how long to wait for what is not delivered when the last publish was answered
 * @property {boolean} [isDrain] the worker starts once all is accepted
 * @property {() => Promise<unknown>} [prepare] in place of emptying the tables and subscribing the endpoints
 * @property {boolean} [isSettled] false: deliveries to bad endpoints stay open, so nobody waits for their records
 *
 * @typedef {{ ids: string[], startedAt: number, endedAt: number, refused: Record<string, number>,
 *   answerMs: import('./tally.mjs').Times }} Accepted
 */

/** How long recording may take after the last arrival. */
const RECORDING_MS = 5_000
/** An open loop that sends less than this share of its rate does not count as that rate. */
const LEAST_SHARE = 0.95
const LONGEST_LOAD_S = 60
/** How long a phase waits for the rest of the work of the one before, and of its own. */
const LONGEST_REST_MS = { full: 15_000, quick: 1_500 }

/**
 * Publishes, waits until all is delivered, and compares what arrived with what was accepted.
 *
 * @param {BenchStack} stack
 * @param {Plan} plan
 * @param {Phase} phase
 * @returns {Promise<Figure>} with `cannot` when the time was over first, or the rate was not kept
 */
export async function runPhase(stack, plan, phase) {
  const { endpoints, receiverMs, load, waitMs, isDrain = false, isSettled = true } = phase
  const types = endpoints.types(plan.webhooks)
  if (isDrain) await stack.stopWorker()
  await (phase.prepare ?? stack.reset)()
  // Afterwards, so that nothing of the phase before is counted.
  await stack.receiver('reset', { latencyMs: receiverMs, behaviours: endpoints.behaviours?.(plan.webhooks) })
  if (phase.prepare === undefined) await endpoints.subscribe(stack, types, plan.webhooks)
  const restMs = LONGEST_REST_MS[plan.isQuick ? 'quick' : 'full']
  await untilAtRest(stack.pids, restMs)
  const before = await readCpu(stack.pids)
  const command = load.perSecond === undefined ? 'closed' : 'open'
  /** @type {Accepted} */
  const accepted = await stack.load(command, {
    types,
    eventBytes: plan.eventBytes,
    seconds: LONGEST_LOAD_S,
    ...load,
  })
  const { ids, startedAt, endedAt, refused, answerMs } = accepted
  if (isDrain) await stack.startWorker()
  const readyAt = steadySeconds()
  const wanted = ids.length * endpoints.each
  await stack.receiver('wait', { delivered: wanted, timeoutMs: waitMs })
  if (isSettled) {
    await waitForRecords(stack, RECORDING_MS)
    await untilAtRest(stack.pids, restMs)
  }
  const cpu = cpuPerThousand(before, await readCpu(stack.pids), ids.length)
  const arrived = await stack.receiver('figures')
  const isDone = arrived.delivered >= wanted
  // What is still open is late, not lost. It is counted first, because more may arrive meanwhile.
  const open = isDone ? 0 : await countOpen(stack)
  const compared = await stack.receiver('compare', { ids, each: endpoints.each })
  const begunAt = isDrain ? Math.min(readyAt, arrived.firstAt) : startedAt
  const perSecond = arrived.delivered / (arrived.lastAt - begunAt)
  const acceptPerSecond = ids.length / (endedAt - startedAt)
  const isInPace = load.perSecond === undefined || acceptPerSecond >= LEAST_SHARE * load.perSecond
  const cannot = isDone && isInPace ? undefined : shortfall(arrived.delivered, wanted, perSecond)
  return {
    topic: phase.topic,
    what: phase.what,
    lane: stack.lane,
    receiverMs,
    webhooks: Math.max(types.length, endpoints.each),
    events: ids.length,
    refused,
    ...(isDrain ? {} : { acceptMs: answerMs, receivedMs: arrived.receivedMs, cpu, acceptPerSecond }),
    ...(cannot === undefined ? { perSecond } : { cannot }),
    duplicates: arrived.duplicates,
    unknown: compared.unknown,
    lost: Math.max(0, compared.lost - open),
  }
}

/** @param {number} delivered @param {number} wanted @param {number} perSecond @returns {string} */
const shortfall = (delivered, wanted, perSecond) =>
  `${delivered} of ${wanted} in time, ${perSecond.toFixed(1)}/s`
