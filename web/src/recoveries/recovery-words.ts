import type { Recoverable, Recovery, Webhook } from '../common/api/wire.ts'
import type { Tone } from '../common/ui/tone.ts'
import { texts } from './texts.ts'

/** The name of what a recovery brings. */
export const KINDS: Readonly<Record<Recovery['recovers'], string>> = {
  failed: texts.failedDeliveries,
  missed: texts.missedEvents,
}

/** `3 deliveries`, `1 event`. */
export const things = (kind: Recovery['recovers'], number: number): string =>
  kind === 'failed' ? texts.deliveries({ number }) : texts.events({ number })

/** How many deliveries or events there are to recover, shown before the recovery begins. */
export function foundInWords({ recovers, total, counted_at_most: most }: Recoverable): string {
  if (recovers === 'failed') {
    if (total === null) return texts.manyFailed({ most })
    return total === 0 ? texts.nothingFailed : texts.failedForGood({ things: things('failed', total) })
  }
  if (total === null) return texts.manyMissed({ most })
  return total === 0 ? texts.nothingMissed : texts.missed({ total })
}

const STATES: Readonly<Record<Recovery['status'], readonly [tone: Tone, word: string]>> = {
  queued: ['busy', texts.isQueued],
  running: ['busy', texts.isRunning],
  done: ['good', texts.isDone],
  cancelled: ['warning', texts.isStopped],
}

/** Whether a recovery runs or is queued. */
export const isOpen = ({ status }: Pick<Recovery, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const stateOf = ({ status }: Recovery): readonly [tone: Tone, word: string] => STATES[status]

/** Why a recovery stopped early, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  requested: texts.stoppedOnRequest,
  webhook_deleted: texts.theWebhookWasDeleted,
  endpoint_failing: texts.stoppedAsFailing,
}

export const reasonOf = ({ stopped_reason: reason }: Recovery): string | undefined =>
  reason === null ? undefined : REASONS[reason]

/** `3 of 12 queued`, or `3 queued` if the total is unknown. */
export const progressInWords = ({ queued, total }: Recovery): string =>
  total === null ? texts.queued({ queued }) : texts.queuedOf({ queued, total })

/** What screen readers announce while a recovery runs. It changes with every tenth, so that it does not interrupt too often. */
export function announcement(recovery: Recovery): string {
  const { status, queued, total } = recovery
  const [, word] = stateOf(recovery)
  if (status === 'queued') return texts.recoveryQueued
  if (status !== 'running') return texts.recoveryIs({ state: word, progress: progressInWords(recovery) })
  if (total === null || total === 0) return texts.recoveryRunning
  return texts.recoveryRunningAt({ percent: Math.min(100, Math.floor((queued / total) * 10) * 10) })
}

const WAITS: Readonly<Record<string, string>> = {
  turn: texts.waitsForTurn,
  company_suspended: texts.waitsForCompany,
  webhook_inactive: texts.waitsForWebhook,
  endpoint_failing: texts.waitsForEndpoint,
  attempts: texts.waitsForAnswers,
}

/** What a recovery waits for. */
export function waitOf({ waits_for: waits, queued, total }: Recovery): string | undefined {
  if (waits === 'attempts' && total !== null && queued >= total) return texts.waitsForLast
  return waits === null ? undefined : WAITS[waits]
}

/** Why a recovery that begins now would wait. @param isSuspended whether the company is suspended */
export function wouldWaitFor(
  { is_active: isActive }: Pick<Webhook, 'is_active'>,
  isSuspended: boolean,
): string | undefined {
  if (isSuspended) return texts.waitsForCompany
  return isActive ? undefined : texts.waitsForWebhook
}
