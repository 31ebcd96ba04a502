import type { DeliveryView } from '../domain/delivery/view.ts'
import type { RecoveryProgress } from './contract.ts'

/*
 * What an operator sees of a running delivery in Temporal's UI («current details»), as Markdown: codes, numbers and
 * times only. The static details have the ids. The UI asks a run for its current details by a query, so the history
 * does not keep them.
 */

export type OpenView = Extract<DeliveryView, { state: 'open' }>
type ClosedView = Extract<DeliveryView, { state: 'closed' }>

/**
 * Describes what an open delivery does now, how many attempts it had, and the result of the latest attempt.
 *
 * @param nowMs the workflow's time, in epoch milliseconds
 */
export function openDetails(view: OpenView, nowMs: number): string {
  return linesOf([activityOf(view, nowMs), ...resultsOf(view)])
}

function activityOf(view: OpenView, nowMs: number): string {
  if (view.isParked)
    return '**Waiting**: its webhook is inactive, its company suspended, or all slots of its endpoint are taken.'
  if (view.waitMs > 0) return `**Waiting** for its next attempt, due at ${timeOf(nowMs + view.waitMs)}.`
  return `**Sending**: ${attemptsOf(view)}. After a failure the pending activity shows its code and the time of the next attempt.`
}

/** These facts are missing in runs that an older release began. */
const resultsOf = ({ attempts, lastResult }: OpenView): string[] => [
  ...(attempts === undefined ? [] : [`Attempts before: ${attempts}`]),
  ...(lastResult === undefined ? [] : [`Latest result: \`${lastResult}\``]),
]

/** Describes a postponed attempt. @param untilMs in epoch milliseconds */
export const deferredDetails = (view: OpenView, untilMs: number): string =>
  linesOf([`**Put off** until ${timeOf(untilMs)}; this spends no attempt.`, ...resultsOf(view)])

/** Describes the pause after a fault of ours. @param untilMs in epoch milliseconds */
export const faultDetails = (view: OpenView, untilMs: number): string =>
  linesOf([
    `**Pausing** after an internal error until ${timeOf(untilMs)}; this spends no attempt. See the log of the worker.`,
    ...resultsOf(view),
  ])

/** Describes how a delivery ended. */
export function closedDetails({ ending, reason }: Pick<ClosedView, 'ending' | 'reason'>): string {
  if (ending === 'success') return '**Delivered**'
  if (ending === 'cancelled') return '**Cancelled**: its webhook was deleted.'
  return reason === undefined ? '**Failed**' : `**Failed**: \`${reason}\``
}

/**
 * An activity makes some of the delivery's attempts. Says which ones, by the numbers that the API shows. Temporal
 * counts the attempts of each activity from 1.
 */
export function attemptsOf({ attempts, remaining }: OpenView): string {
  if (attempts === undefined) return remaining === 1 ? 'one attempt' : `up to ${remaining} attempts`
  const [first, last] = [attempts + 1, attempts + remaining]
  return first === last ? `attempt ${first} of the delivery` : `attempts ${first} to ${last} of the delivery`
}

const timeOf = (atMs: number): string => new Date(atMs).toISOString()

const linesOf = (lines: readonly string[]): string => lines.join('\n\n')

/** What an operator sees of a recovery in Temporal's UI («current details»), as Markdown: states and numbers only. */
export function recoveryDetails(progress: RecoveryProgress): string {
  return `${stateOf(progress)}\n\nQueued: ${progress.queued}${totalOf(progress)}`
}

function stateOf({ status, stoppedReason, waitsFor }: RecoveryProgress): string {
  if (status === 'done') return '**Done**: each of them had an attempt.'
  if (status === 'cancelled') return `**Cancelled**: \`${stoppedReason ?? 'requested'}\``
  const wait = waitsFor == null ? undefined : (WAITS[waitsFor] ?? waitsFor)
  return wait === undefined ? '**Running**' : `**Waiting**: ${wait}.`
}

/** Texts by RecoveryWait (domain/recovery). A later release may use waits that this code does not know. */
const WAITS: Readonly<Record<string, string>> = {
  turn: 'other recoveries of the company run',
  company_suspended: 'the company is suspended',
  webhook_inactive: 'the webhook is inactive',
  endpoint_failing: 'the endpoint fails, and its next probe is awaited',
  attempts: 'the attempts of those that are queued are awaited',
}

const totalOf = ({ total }: RecoveryProgress): string =>
  total === null ? ' of a number that is not counted' : ` of ${total}`
