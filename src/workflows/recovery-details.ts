import type { RecoveryProgress } from './contract.ts'

/** What Temporal's UI shows an operator of a recovery («current details»), as Markdown: states and numbers only. */
export function recoveryDetails(progress: RecoveryProgress): string {
  return `${stateOf(progress)}\n\nQueued: ${progress.queued}${totalOf(progress)}`
}

function stateOf({ status, stoppedReason, isWaiting }: RecoveryProgress): string {
  if (status === 'done') return '**Done**: each of them had an attempt.'
  if (status === 'cancelled') return `**Cancelled**: \`${stoppedReason ?? 'requested'}\``
  return isWaiting ? '**Waiting**: the webhook is inactive, or its company suspended.' : '**Running**'
}

const totalOf = ({ total }: RecoveryProgress): string =>
  total === null ? ' of a number that is not counted' : ` of ${total}`
