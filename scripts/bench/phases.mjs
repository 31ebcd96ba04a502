import { percentile } from './figures.mjs'

/**
 * Measures without an attack and beside it, in turns, so that whatever else the machine does hits both.
 *
 * @template T
 * @param {object} options
 * @param {() => Promise<T>} options.measure one phase
 * @param {() => Promise<() => unknown>} options.attack begins the attack; gives what ends it
 * @param {number} [options.rounds]
 * @returns {Promise<{ quiet: T[], attacked: T[] }>} what each phase gave
 */
export async function inTurns({ measure, attack, rounds = 3 }) {
  /** @type {{ quiet: T[], attacked: T[] }} */
  const phases = { quiet: [], attacked: [] }
  for (let round = 0; round < rounds; round++) {
    phases.quiet.push(await measure())
    const end = await attack()
    phases.attacked.push(await measure())
    await end()
  }
  return phases
}

/** @param {readonly number[]} values @returns {number} */
export const median = (values) => percentile(values, 0.5)

/**
 * @param {readonly (readonly number[])[]} phases times of each phase
 * @param {number} share 0.99 for p99
 * @returns {number} the median of the phases' percentiles
 */
export const medianPercentile = (phases, share) => median(phases.map((times) => percentile(times, share)))

/**
 * The times of phases as a row of the table shows them.
 *
 * @param {{ quiet: readonly (readonly number[])[], attacked: readonly (readonly number[])[] }} phases milliseconds
 * @param {number} [share] the percentile whose ratio counts
 * @returns {{ quiet: string, attacked: string, ratio: number }} `p50/p99 ms`, medians over the phases
 */
export function compareTimes({ quiet, attacked }, share = 0.99) {
  const shown = (/** @type {readonly (readonly number[])[]} */ phases) =>
    `${[0.5, 0.99].map((each) => Math.round(medianPercentile(phases, each))).join('/')} ms`
  const ratio = medianPercentile(attacked, share) / medianPercentile(quiet, share)
  return { quiet: shown(quiet), attacked: shown(attacked), ratio }
}
