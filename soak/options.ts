import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

/** A run of so many minutes or more has the full distances between kills; in a shorter one they are shorter in proportion. */
const FULL_MINUTES = 8
const KILL_EVERY_SECONDS = [30, 90]
/** Longest pause before a killed part is started again. */
const PAUSE_SECONDS = 20

/**
 * @typedef {object} SoakOptions
 * @property {number} minutes of traffic; start and settling come in addition
 * @property {string} seed
 * @property {string} lane value of DELIVERY_FIRST_ATTEMPT
 * @property {number} perSecond calls of the api that are begun each second
 * @property {[number, number]} killEveryMs least and most time from one kill to the next
 * @property {number} longestPauseMs before a killed part is started again
 */

/**
 * @param {readonly string[]} args of the command line
 * @returns {SoakOptions}
 * @throws {Error} for an unknown option or a number that is none
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      lane: { type: 'string', default: 'workflow' },
      rate: { type: 'string', default: '3' },
    },
  })
  const minutes = positive('minutes', values.minutes)
  const scale = Math.min(1, minutes / FULL_MINUTES)
  const [least = 0, most = 0] = KILL_EVERY_SECONDS.map((seconds) => seconds * 1000 * scale)
  return {
    minutes,
    seed: values.seed,
    lane: values.lane,
    perSecond: positive('rate', values.rate),
    killEveryMs: [least, most],
    longestPauseMs: PAUSE_SECONDS * 1000 * scale,
  }
}

/**
 * Checks the lane against the rule of the setting, so that the soak knows every lane that the service knows.
 *
 * @param {string} lane
 * @throws {Error} with the words of the service
 */
export async function checkLane(lane) {
  const { variables } = await import('../../src/config/variables.ts')
  const { error } = variables.extract('DELIVERY_FIRST_ATTEMPT').label('--lane').validate(lane)
  if (error) throw new Error(error.message)
}

/** @param {string} name @param {string} text @returns {number} */
function positive(name, text) {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}
