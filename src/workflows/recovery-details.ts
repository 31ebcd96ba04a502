import type { RecoveryProgress } from './contract.ts'

/** What Temporal's UI shows an operator of a recovery («current details»), as Markdown: states and numbers only. */
export function recoveryDetails(progress: RecoveryProgress): string {
  return `${stateOf(progress)}\n\nQueued: ${progress.queued}${totalOf(progress)}`
}

function stateOf({ status, stoppedReason, waitsFor }: RecoveryProgress): string {
  if (status === 'done') return '**Done**: each of them had an attempt.'
  if (status === 'cancelled') return `**Cancelled**: \`${stoppedReason ?? 'requested'}\``
  const wait = waitsFor == null ? undefined : (WAITS[waitsFor] ?? waitsFor)
  return wait === undefined ? '**Running**' : `**Waiting**: ${wait}.`
}

/** By domain/recovery's names of waits. A run of this code may get others from a later release. */
const WAITS: Readonly<Record<string, string>> = {
  turn: 'other recoveries of the company run',
  company_suspended: 'the company is suspended',
  webhook_inactive: 'the webhook is inactive',
  endpoint_failing: 'the endpoint fails, and its next probe is awaited',
  attempts: 'the attempts of those that are queued are awaited',
}

const totalOf = ({ total }: RecoveryProgress): string =>
  total === null ? ' of a number that is not counted' : ` of ${total}`
