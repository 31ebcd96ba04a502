import type { Pause } from './segments.ts'

/** What a recovery sends: deliveries that failed, or events that made no delivery because the webhook was inactive. */
export const RECOVERY_KINDS = ['failed', 'missed'] as const

export type RecoveryKind = (typeof RECOVERY_KINDS)[number]

/**
 * The states of a recovery.
 *
 * - `queued`: the api, the console or the command line created it. It waits for its turn while RECOVERIES_AT_ONCE
 *   others of the company run; the oldest queued one is next. While its webhook is inactive or its company suspended,
 *   it gets no turn, and if it ran before, it is queued again.
 * - `running`: a workflow carries it out. A webhook has at most one open recovery.
 * - `done`: everything of its window was queued, and had an attempt.
 * - `cancelled`: it ended before it was done, for the reason in `stoppedReason`. The deliveries that it queued go on.
 */
export const RECOVERY_STATES = ['queued', 'running', 'done', 'cancelled'] as const

export type RecoveryState = (typeof RECOVERY_STATES)[number]

/** At most this many recoveries of a company run at the same time, in all processes and both environments. */
export const RECOVERIES_AT_ONCE = 5

/** Whether a recovery runs or waits for its turn. */
export const isOpenRecovery = ({ state }: Pick<Recovery, 'state'>): boolean =>
  state === 'queued' || state === 'running'

/** Why a recovery was cancelled: somebody asked for that, its webhook was deleted, or its endpoint still fails. */
export const STOPPED_REASONS = ['requested', 'webhook_deleted', 'endpoint_failing'] as const

export type StoppedReason = (typeof STOPPED_REASONS)[number]

/**
 * What an open recovery waits for: its turn, the resumption of its company or the activation of its webhook, the next
 * probe of an endpoint whose circuit breaker is open, or the attempts that it has queued.
 */
export type RecoveryWait = 'turn' | 'company_suspended' | 'webhook_inactive' | 'endpoint_failing' | 'attempts'

export type Recovery = {
  readonly id: string
  readonly webhookId: string
  readonly kind: RecoveryKind
  readonly state: RecoveryState
  readonly stoppedReason: StoppedReason | null
  /** null if it waits for nothing. */
  readonly waitsFor: RecoveryWait | null
  /** The window, by the creation time of what is recovered: from `since` on, and before `until`. */
  readonly since: Date
  readonly until: Date
  /** How many deliveries or events it will send; null while that is unknown. */
  readonly total: number | null
  readonly queued: number
  readonly createdAt: Date
  readonly endedAt: Date | null
}

/** A recovery and who began it; null if the audit does not say. `name`: the name of the user or of the key. */
export type StartedRecovery = {
  readonly recovery: Recovery
  readonly startedBy: { readonly id: string; readonly name: string | null } | null
}

/** What a recovery would bring if it began now. `total` is null if it was not counted. */
export type Recoverable = Pick<Recovery, 'kind' | 'since' | 'until' | 'total'>

/** A pause of a webhook, and what a recovery of its missed events would send. */
export type Missed = { readonly pause: Pick<Pause, 'startsAt' | 'endsAt'>; readonly recoverable: Recoverable }

type WaitFacts = {
  readonly state: RecoveryState
  readonly isSuspended: boolean
  readonly isInactive: boolean
  /** The circuit breaker of the endpoint is open. */
  readonly isFailing: boolean
  /** Whether its workflow waits to be woken. */
  readonly isWaiting: boolean
}

/** Why a recovery waits; null if it does not. */
export function waitOf(facts: WaitFacts): RecoveryWait | null {
  if (!isOpenRecovery(facts)) return null
  if (facts.isSuspended) return 'company_suspended'
  if (facts.isInactive) return 'webhook_inactive'
  if (facts.state === 'queued') return 'turn'
  if (facts.isFailing) return 'endpoint_failing'
  return facts.isWaiting ? 'attempts' : null
}

/** When a recovery begins, at most this many deliveries or events are counted. */
export const COUNTED_AT_MOST = 10_000

/** How many failed attempts in a row end a recovery. */
export const FAILURES_THAT_STOP = 20

/** The outcome of the attempt that a recovery asked for. `none`: there will be no outcome. */
export type RecoveredOutcome = 'success' | 'failure' | 'none'

/**
 * Counts failures in a row.
 *
 * @param before failures in a row so far
 * @param outcomes in the order of their attempts
 * @returns the count after them. Once it reaches FAILURES_THAT_STOP, later outcomes no longer change it
 */
export function failuresInRow(before: number, outcomes: readonly RecoveredOutcome[]): number {
  let count = before
  for (const outcome of outcomes) {
    if (count >= FAILURES_THAT_STOP) return count
    if (outcome !== 'none') count = outcome === 'failure' ? count + 1 : 0
  }
  return count
}

/** How many failed probes end the recovery of an endpoint whose circuit breaker is open. */
export const PROBES_THAT_STOP = 3

/**
 * The next page waits until this share of `mostUnderWay` is free, so that pages are not tiny. The deliveries that are
 * still under way keep the slots busy.
 */
const FREE_SHARE = 0.25

/**
 * How many deliveries of a recovery may wait in the outbox or be on the wire at once. While the circuit breaker is
 * open, only the next probe may. Others would wait for the probe, and lose their attempts if it failed.
 */
export const mostUnderWay = (webhookConcurrency: number, isFailing = false): number =>
  isFailing ? 1 : 2 * webhookConcurrency

/** The next page is queued when at most this many deliveries are under way. */
export const fewUnderWay = (most: number): number => Math.floor(most * (1 - FREE_SHARE))
