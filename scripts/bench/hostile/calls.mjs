import { setTimeout as sleep } from 'node:timers/promises'

/** @typedef {{ times: number[], failed: number }} CallTimes times: milliseconds, of every call; failed: answers that were not wanted */

/** How long a phase calls; an attack lasts somewhat longer. */
const PHASE_SECONDS = 4
const ATTACK_MS = (PHASE_SECONDS + 0.5) * 1000

/**
 * Calls at a fixed rate, whatever the answers take.
 *
 * @param {() => Promise<{ status: number }>} call
 * @param {{ seconds?: number, perSecond?: number, wanted?: number }} [options] wanted: the status of a good answer
 * @returns {Promise<CallTimes>}
 */
export async function callAtRate(call, { seconds = PHASE_SECONDS, perSecond = 20, wanted = 200 } = {}) {
  /** @type {CallTimes} */
  const result = { times: [], failed: 0 }
  const one = async () => {
    const startedMs = performance.now()
    const status = await call().then(
      (answer) => answer.status,
      () => undefined,
    )
    result.times.push(performance.now() - startedMs)
    if (status !== wanted) result.failed += 1
  }
  const calls = []
  for (let n = 0; n < seconds * perSecond; n++) {
    calls.push(one())
    await sleep(1000 / perSecond)
  }
  await Promise.all(calls)
  return result
}

/** @param {{ api: import('./stack.mjs').Api }} tenant @returns {() => Promise<{ status: number }>} a call that every customer makes */
export const listWebhooksOf =
  ({ api }) =>
  () =>
    api('GET', '/api-v1-webhooks')

/**
 * The times of a neighbour's calls as `compareTimes` takes them, and how many calls failed.
 *
 * @param {{ quiet: readonly CallTimes[], attacked: readonly CallTimes[] }} phases
 */
export const timesOf = ({ quiet, attacked }) => ({
  phases: { quiet: quiet.map(({ times }) => times), attacked: attacked.map(({ times }) => times) },
  failed: [...quiet, ...attacked].reduce((sum, { failed }) => sum + failed, 0),
})

/**
 * An attack that is repeated, each time in a process of its own, and gives its answers by status.
 *
 * @param {import('./stack.mjs').HostileStack} stack
 * @param {URL} module
 * @param {string} name of its exported function
 * @param {{ baseUrl: string, durationMs?: number, [option: string]: unknown }} options
 * @returns {{ attack: () => Promise<() => Promise<void>>, answers: () => string, counts: Readonly<Record<string, number>> }}
 *   attack: as `inTurns` takes it; answers: all so far, such as "310 x 200, 24 x 429"; counts: the same by status
 */
export function countedAttack(stack, module, name, options) {
  /** @type {Record<string, number>} */
  const sums = {}
  return {
    counts: sums,
    async attack() {
      const { started, result } = stack.attack(module, name, { durationMs: ATTACK_MS, ...options })
      await started
      return async () => {
        const counts = Object.entries(await result)
        for (const [status, count] of counts) sums[status] = (sums[status] ?? 0) + count
      }
    },
    answers: () =>
      Object.entries(sums)
        .map(([status, count]) => `${count} x ${status}`)
        .join(', '),
  }
}

/**
 * Runs the calls of several clients, each one after the other, for a time.
 *
 * @param {{ clients: number, durationMs: number, call: () => Promise<number> }} options call: gives its status
 * @returns {Promise<Record<string, number>>} answers by status
 */
export async function keepCalling({ clients, durationMs, call }) {
  const endMs = Date.now() + durationMs
  /** @type {Record<string, number>} */
  const answers = {}
  const client = async () => {
    while (Date.now() < endMs) {
      const status = await call()
      answers[status] = (answers[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return answers
}
