import type { Recoverable, Recovery, Webhook } from '../common/api/wire.ts'
import { count, plural } from '../common/format/numbers.ts'
import type { Tone } from '../common/ui/tone.ts'

/** What a recovery brings, as a name. */
export const KINDS: Readonly<Record<Recovery['recovers'], string>> = {
  failed: 'Failed deliveries',
  missed: 'Missed events',
}

/** `3 deliveries`, `1 event`. */
export const things = (kind: Recovery['recovers'], number: number): string =>
  kind === 'failed' ? plural(number, 'delivery', 'deliveries') : plural(number, 'event')

/** How many there are to recover, before anything is begun. */
export function foundInWords({ recovers, total, counted_at_most: most }: Recoverable): string {
  if (recovers === 'failed') {
    if (total === null) return `More than ${count(most)} deliveries failed for good.`
    return total === 0
      ? 'Nothing failed for good in this time.'
      : `${things('failed', total)} failed for good.`
  }
  if (total === null) return `More than ${count(most)} events were missed, or too many to count quickly.`
  return total === 0
    ? 'No event was missed in this time.'
    : `${things('missed', total)} ${total === 1 ? 'was' : 'were'} missed.`
}

const STATES: Readonly<Record<Recovery['status'], readonly [tone: Tone, word: string]>> = {
  queued: ['busy', 'queued'],
  running: ['busy', 'running'],
  done: ['good', 'done'],
  cancelled: ['warning', 'stopped'],
}

/** Whether a recovery goes on, or will. */
export const isOpen = ({ status }: Pick<Recovery, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const stateOf = ({ status }: Recovery): readonly [tone: Tone, word: string] => STATES[status]

/** Why a recovery stopped before its end, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  requested: 'Somebody stopped it. What it had queued goes on.',
  webhook_deleted: 'The webhook was deleted.',
  endpoint_failing:
    'It stopped because one delivery after the other failed again: the endpoint is not back yet. What it had not queued kept its ' +
    'attempts. Repair the endpoint, send a test event until it arrives, then recover again.',
}

export const reasonOf = ({ stopped_reason: reason }: Recovery): string | undefined =>
  reason === null ? undefined : REASONS[reason]

/** `3 of 12 queued`, or `3 queued` while nobody knows how many there are. */
export const progressInWords = ({ queued, total }: Recovery): string =>
  total === null ? `${count(queued)} queued` : `${count(queued)} of ${count(total)} queued`

/**
 * What screen readers are told while a recovery runs. It changes with every tenth, so that it does not drown everything else.
 */
export function announcement(recovery: Recovery): string {
  const { status, queued, total } = recovery
  const [, word] = stateOf(recovery)
  if (status === 'queued') return 'The recovery is queued.'
  if (status !== 'running') return `The recovery is ${word}: ${progressInWords(recovery)}.`
  if (total === null || total === 0) return 'The recovery is running.'
  return `The recovery is running: ${Math.min(100, Math.floor((queued / total) * 10) * 10)} % queued.`
}

const SUSPENDED = 'The company is suspended: the recovery waits until the operator resumes it.'
const INACTIVE = 'The webhook is inactive: the recovery waits until it is activated.'

const WAITS: Readonly<Record<string, string>> = {
  turn: 'Five recoveries of the company run at a time: this one waits for its turn.',
  company_suspended: SUSPENDED,
  webhook_inactive: INACTIVE,
  endpoint_failing:
    'The endpoint fails: the recovery waits for the next try of a single delivery, and stops when three of them failed.',
  attempts: 'The recovery waits for answers to what it has queued.',
}

/** What a recovery waits for. */
export function waitOf({ waits_for: waits, queued, total }: Recovery): string | undefined {
  if (waits === 'attempts' && total !== null && queued >= total)
    return 'All are queued; the last answers are awaited.'
  return waits === null ? undefined : WAITS[waits]
}

/** Why a recovery that began now would wait. @param isSuspended whether the company is suspended */
export function wouldWaitFor(
  { is_active: isActive }: Pick<Webhook, 'is_active'>,
  isSuspended: boolean,
): string | undefined {
  if (isSuspended) return SUSPENDED
  return isActive ? undefined : INACTIVE
}
