import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { variables } from '../src/config/variables.ts'

/** A run of this length or more has the full times between kills. In a shorter run they are shorter in proportion. */
const FULL_MINUTES = 8
/** Least and most time from one kill to the next. */
const KILL_EVERY_MS = [30_000, 90_000] as const
/** Longest pause before a killed part is started again. */
const PAUSE_MS = 20_000

export type SoakOptions = ReturnType<typeof readOptions>

/**
 * Reads the arguments of the command line.
 *
 * @returns trafficMs: start and settling come in addition; lane: the value of DELIVERY_FIRST_ATTEMPT; perSecond: how many calls
 *   of the api begin each second; kills: the time from one to the next, and the pause before a part is started again
 * @throws Error for an unknown option, a number that is none, or a lane that the service does not know
 */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      lane: { type: 'string', default: 'workflow' },
      rate: { type: 'string', default: '3' },
    },
  })
  const { seed, lane } = values
  const minutes = positive('minutes', values.minutes)
  const perSecond = positive('rate', values.rate)
  // The rule of the setting itself, so that the soak knows every lane that the service knows.
  const { error } = variables.extract('DELIVERY_FIRST_ATTEMPT').label('--lane').validate(lane)
  if (error) throw new Error(error.message)
  const scale = Math.min(1, minutes / FULL_MINUTES)
  const [least, most] = KILL_EVERY_MS
  const kills = { leastMs: least * scale, mostMs: most * scale, longestPauseMs: PAUSE_MS * scale }
  const trafficMs = Math.round(minutes * 60_000)
  return { minutes, trafficMs, seed, lane, perSecond, kills }
}

/** The value of an option that must be a number above 0. */
export function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}
