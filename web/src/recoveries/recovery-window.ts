import { fromLocalInput, windowFaults, type OwnFaults, type OwnTimes } from '../common/format/local-times.ts'
import type { Missed, Recovery, Webhook } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** A recovery's window: from `since` on, and before `until`, by default now. ISO 8601, UTC. */
export type RecoveryWindow = { readonly since: string; readonly until?: string }

/** A window to choose. If `since` is undefined, the user types the times. */
export type Preset = { readonly value: string; readonly label: string; readonly since: string | undefined }

type Known = { readonly health: Webhook['health']; readonly missed: Missed | undefined; readonly now: Date }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * A failure is recorded when its attempt ends, but a recovery selects deliveries by their creation, which is a little
 * earlier. So the window begins earlier. That does no harm, because a recovery brings only failed deliveries.
 */
export const EARLIER_MS = 5 * MINUTE_MS

const SPANS = [
  ['24h', texts.last24Hours, 24 * HOUR_MS],
  ['1h', texts.lastHour, HOUR_MS],
  ['7d', texts.last7Days, 7 * 24 * HOUR_MS],
] as const

/** The windows that fit the webhook, the best first. @param now the end of time spans */
export function presetsFor(
  kind: Recovery['recovers'],
  { health, missed, now }: Known,
): readonly [Preset, ...Preset[]] {
  const [day, ...spans] = SPANS.map(([value, label, ms]): Preset => ({
    value,
    label,
    since: earlier(now.toISOString(), ms),
  }))
  const own: Preset = { value: 'own', label: texts.ownWindow, since: undefined }
  const [first, ...others] = [
    ...(kind === 'failed' ? sinceItFails(health) : sinceThePause(missed)),
    ...(day ? [day] : []),
    ...spans,
    ...(kind === 'failed' ? sinceItWorked(health) : []),
    own,
  ]
  return [first, ...others]
}

const earlier = (time: string, ms: number): string => new Date(Date.parse(time) - ms).toISOString()

const sinceItFails = ({ failing_since: since }: Webhook['health']): Preset[] =>
  since === null
    ? []
    : [{ value: 'failing', label: texts.sinceItBeganToFail, since: earlier(since, EARLIER_MS) }]

const sinceItWorked = ({ last_success_at: at }: Webhook['health']): Preset[] =>
  at === null ? [] : [{ value: 'success', label: texts.sinceTheLastSuccess, since: earlier(at, EARLIER_MS) }]

const sinceThePause = (missed: Missed | undefined): Preset[] => {
  const { pause, recoverable } = missed ?? {}
  if (!pause || !recoverable) return []
  const label = pause.ends_at === null ? texts.sinceItIsInactive : texts.itsLatestPause
  return [{ value: 'pause', label, since: recoverable.since }]
}

/** Reads the typed times. @returns the window, or the errors */
export function readOwn(
  { since, until }: OwnTimes,
  now: Date,
): { readonly window: RecoveryWindow } | { readonly faults: OwnFaults } {
  const [from, to] = [fromLocalInput(since), fromLocalInput(until)]
  if (since === '') return { faults: { since: texts.sayBegin } }
  const faults = windowFaults({ since, until })
  if (from === undefined || Object.keys(faults).length > 0) return { faults }
  if (from >= now.toISOString()) return { faults: { since: texts.beginBeforeNow } }
  return { window: { since: from, ...(to !== undefined && { until: to }) } }
}
