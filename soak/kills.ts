import { setTimeout as sleep } from 'node:timers/promises'
import { PARTS } from './stack.mjs'

/**
 * @typedef {object} Kill
 * @property {import('./stack.mjs').Part} part
 * @property {number} atMs epoch
 * @property {number} pauseMs before the part was started again
 * @property {number} readyAtMs when it was ready again, epoch
 */

/** Share of the kills after which the part is started again at once. */
const AT_ONCE = 0.5

/**
 * Draws one kill after the other: the time since the one before, the part, and the pause before it is started again.
 * The parts come in shuffled rounds, so that every part is killed about as often.
 *
 * @param {import('./random.mjs').SeededRandom} random
 * @param {import('./options.mjs').SoakOptions} options
 * @returns {Generator<{ afterMs: number, part: import('./stack.mjs').Part, pauseMs: number }>} without end
 */
export function* drawKills(random, { killEveryMs: [least, most], longestPauseMs }) {
  for (;;) {
    for (const part of random.shuffled(PARTS)) {
      const afterMs = Math.round(random.between(least, most))
      const pauseMs = random.isHit(AT_ONCE) ? 0 : Math.round(random.between(0, longestPauseMs))
      yield { afterMs, part, pauseMs }
    }
  }
}

/**
 * Kills parts and starts them again until the time is over. At the end all of them run and are ready.
 *
 * @param {import('./stack.mjs').SoakStack} stack
 * @param {{ random: import('./random.mjs').SeededRandom, options: import('./options.mjs').SoakOptions, untilMs: number,
 *   onKill: (kill: Kill) => void }} plan untilMs: epoch; no kill comes later
 * @returns {Promise<Kill[]>}
 */
export async function killParts(stack, { random, options, untilMs, onKill }) {
  /** @type {Kill[]} */
  const kills = []
  let dueMs = Date.now()
  for (const { afterMs, part, pauseMs } of drawKills(random, options)) {
    dueMs += afterMs
    if (dueMs >= untilMs) break
    await sleep(Math.max(0, dueMs - Date.now()))
    const atMs = Date.now()
    await stack.kill(part)
    await sleep(pauseMs)
    await stack.restart(part)
    const kill = { part, atMs, pauseMs, readyAtMs: Date.now() }
    kills.push(kill)
    onKill(kill)
  }
  return kills
}

/** WEBHOOK_TIMEOUT and RECORDING_TIMEOUT of the soak (stack.mjs): a kill so long after a request no longer loses its outcome. */
export const ATTEMPT_MS = 9_000
/** Requests that were sent before a kill may be read so long after it. */
const READ_LATE_MS = 1_000
/** The worker may find the database away for so long after it is ready again. */
const RECONNECT_MS = 2_000

/**
 * Gives the kill because of which the outcome of a request may not have been recorded. Only a worker or a database that
 * dies can lose one.
 *
 * @param {readonly Kill[]} kills
 * @param {number} atMs when the request came, epoch
 * @returns {Kill | undefined}
 */
export const killThatLost = (kills, atMs) =>
  kills.find((kill) => {
    if (atMs < kill.atMs - ATTEMPT_MS) return false
    if (kill.part === 'worker') return atMs <= kill.atMs + READ_LATE_MS
    return kill.part === 'database' && atMs <= kill.readyAtMs + RECONNECT_MS
  })
