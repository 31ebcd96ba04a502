import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile } from './figures.ts'

/** Without an attack and beside it. */
export type Phases<T> = { readonly quiet: T[]; readonly attacked: T[] }

/**
 * Measures without an attack and beside it, in turns, so that whatever else the machine does hits both.
 *
 * @param attack begins the attack; gives what ends it
 */
export async function inTurns<T>(
  measure: () => Promise<T>,
  attack: () => Promise<() => unknown>,
  rounds = 3,
): Promise<Phases<T>> {
  const phases: Phases<T> = { quiet: [], attacked: [] }
  for (let round = 0; round < rounds; round++) {
    phases.quiet.push(await measure())
    const end = await attack()
    phases.attacked.push(await measure())
    await end()
  }
  return phases
}

/** The median of the phases' percentiles; `share` 0.99 for p99. */
export const medianPercentile = (phases: readonly (readonly number[])[], share: number): number =>
  median(phases.map((times) => percentile(times, share)))

/** The times of phases, in milliseconds, as a row of a table shows them: `p50/p99 ms`, and the ratio of the percentile `share`. */
export function compareTimes({ quiet, attacked }: Phases<readonly number[]>, share = 0.99) {
  const shown = (phases: readonly (readonly number[])[]) =>
    `${[0.5, 0.99].map((each) => Math.round(medianPercentile(phases, each))).join('/')} ms`
  const ratio = medianPercentile(attacked, share) / medianPercentile(quiet, share)
  return { quiet: shown(quiet), attacked: shown(attacked), ratio }
}

/** Milliseconds of every call, and how many answers were not wanted. */
export type CallTimes = { readonly times: number[]; failed: number }
type Call = () => Promise<{ status: number }>
export type Counts = Record<string, number>

/** How long a phase calls; an attack lasts somewhat longer. */
const PHASE_SECONDS = 4
export const ATTACK_MS = (PHASE_SECONDS + 0.5) * 1000

/** Calls at a fixed rate, whatever the answers take. `wanted`: the status of a good answer. */
export async function callAtRate(
  call: Call,
  { seconds = PHASE_SECONDS, perSecond = 20, wanted = 200 } = {},
): Promise<CallTimes> {
  const result: CallTimes = { times: [], failed: 0 }
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

/** The times of calls as `compareTimes` takes them, and how many calls failed. */
export const timesOf = ({ quiet, attacked }: Phases<CallTimes>) => ({
  phases: { quiet: quiet.map(({ times }) => times), attacked: attacked.map(({ times }) => times) },
  failed: [...quiet, ...attacked].reduce((sum, { failed }) => sum + failed, 0),
})

/** Runs the calls of several clients, each one after the other, for a time. Gives the answers by status. */
export async function keepCalling(clients: number, durationMs: number, call: Call): Promise<Counts> {
  const endMs = Date.now() + durationMs
  const answers: Counts = {}
  const client = async () => {
    while (Date.now() < endMs) count(answers, (await call()).status)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return answers
}

/** Adds answers to those counted before. */
export const count = (counts: Counts, status: number | string, answers = 1): void => {
  counts[status] = (counts[status] ?? 0) + answers
}

/** Such as "310 x 200, 24 x 429". */
export const showCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([status, answers]) => `${answers} x ${status}`)
    .join(', ')
