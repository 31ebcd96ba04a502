import { inWords } from '../common/format/durations.ts'
import { texts } from './texts.ts'

/** One automatic retry. */
export type PlannedRetry = {
  readonly number: number
  /** Seconds after the failed attempt before this retry. */
  readonly afterSeconds: number
  /** Seconds after the first attempt. */
  readonly sinceFirstSeconds: number
}

/**
 * The retries of a delivery. If there are more retries than delays, the last delay repeats. The service varies each delay
 * by up to 10 %.
 *
 * @param schedule seconds before each retry; at least one entry
 */
export function retryPlan(schedule: readonly number[], maxRetries: number): readonly PlannedRetry[] {
  let sinceFirstSeconds = 0
  return Array.from({ length: maxRetries }, (_, index) => {
    const afterSeconds = schedule[Math.min(index, schedule.length - 1)] ?? 0
    sinceFirstSeconds += afterSeconds
    return { number: index + 1, afterSeconds, sinceFirstSeconds }
  })
}

/** The plan as a sentence. */
export function planInWords(plan: readonly PlannedRetry[]): string {
  const last = plan.at(-1)
  if (!last) return texts.noRetry
  const delays = runsOf(plan)
    .map(({ seconds, times }) => (times === 1 ? inWords(seconds) : texts.eachTime({ seconds, times })))
    .join(texts.then)
  const attempts = plan.length + 1
  return texts.plan({ attempts, delays, seconds: last.sinceFirstSeconds })
}

/** The delays. Equal delays in a row are shown as one. */
function runsOf(
  plan: readonly PlannedRetry[],
): readonly { readonly seconds: number; readonly times: number }[] {
  const runs: { seconds: number; times: number }[] = []
  for (const { afterSeconds: seconds } of plan) {
    const last = runs.at(-1)
    if (last?.seconds === seconds) last.times += 1
    else runs.push({ seconds, times: 1 })
  }
  return runs
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400 }

/**
 * Reads delays as people type them: `5s, 5m, 2h`. A number without a unit is in seconds.
 *
 * @returns undefined if a part is not a delay
 */
export function parseSchedule(text: string): readonly number[] | undefined {
  const delays = text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, number, unit = 's'] = /^(\d{1,6}) ?(s|m|min|h|d)?$/.exec(part) ?? []
      return number === undefined ? undefined : Number(number) * (SECONDS[unit] ?? 1)
    })
  const known = delays.filter((delay) => delay !== undefined)
  return known.length === delays.length && known.length > 0 ? known : undefined
}

/** Writes a schedule in the form in which it can be typed. It uses only whole units, so nothing is rounded. */
export const scheduleText = (schedule: readonly number[]): string => schedule.map(shortest).join(', ')

function shortest(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % (SECONDS[each] ?? 1) === 0)
  return unit ? `${seconds / (SECONDS[unit] ?? 1)}${unit}` : `${seconds}s`
}
