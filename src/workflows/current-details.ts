import type { DeliveryView } from '../domain/delivery/view.ts'

/*
 * What Temporal's UI shows an operator of a running delivery («current details»), as Markdown: codes, numbers and times
 * only. The ids stand in the static details. A run is asked for them by a query, so they are no part of its history.
 */

type OpenView = Extract<DeliveryView, { state: 'open' }>
type ClosedView = Extract<DeliveryView, { state: 'closed' }>

/**
 * What an open delivery does now, how often it was attempted, and the result of the latest attempt.
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

/** Results of runs that a release without these facts began are not known. */
const resultsOf = ({ attempts, lastResult }: OpenView): string[] => [
  ...(attempts === undefined ? [] : [`Attempts before: ${attempts}`]),
  ...(lastResult === undefined ? [] : [`Latest result: \`${lastResult}\``]),
]

/** What an attempt that was put off waits for. @param untilMs in epoch milliseconds */
export const deferredDetails = (view: OpenView, untilMs: number): string =>
  linesOf([`**Put off** until ${timeOf(untilMs)}; this spends no attempt.`, ...resultsOf(view)])

/** What a run does after a fault of ours. @param untilMs in epoch milliseconds */
export const faultDetails = (view: OpenView, untilMs: number): string =>
  linesOf([
    `**Pausing** after an internal error until ${timeOf(untilMs)}; this spends no attempt. See the log of the worker.`,
    ...resultsOf(view),
  ])

/** How a delivery ended. */
export function closedDetails({ ending, reason }: Pick<ClosedView, 'ending' | 'reason'>): string {
  if (ending === 'success') return '**Delivered**'
  if (ending === 'cancelled') return '**Cancelled**: its webhook was deleted.'
  return reason === undefined ? '**Failed**' : `**Failed**: \`${reason}\``
}

/**
 * Which attempts of the delivery an activity makes, by the numbers that the API shows. Temporal counts the attempts of
 * each activity from 1.
 */
export function attemptsOf({ attempts, remaining }: OpenView): string {
  if (attempts === undefined) return remaining === 1 ? 'one attempt' : `up to ${remaining} attempts`
  const [first, last] = [attempts + 1, attempts + remaining]
  return first === last ? `attempt ${first} of the delivery` : `attempts ${first} to ${last} of the delivery`
}

const timeOf = (atMs: number): string => new Date(atMs).toISOString()

const linesOf = (lines: readonly string[]): string => lines.join('\n\n')
