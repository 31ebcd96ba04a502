import type { Missed, RecoveryKind } from '../common/api/recoveries.js'
import type { Webhook } from '../common/api/webhooks.js'

/** What a recovery is asked for: from `since` on, and before `until`, by default now. ISO 8601, UTC. */
export type RecoveryWindow = { readonly since: string; readonly until?: string }

/** A window to choose. `since` is undefined for the one that people write themselves. */
export type Preset = { readonly value: string; readonly label: string; readonly since: string | undefined }

type Known = { readonly health: Webhook['health']; readonly missed: Missed | undefined; readonly now: Date }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * A failure is noted when its attempt ends, and a recovery goes by the creation of deliveries, which is a little earlier. It
 * brings what failed and nothing else, so to begin early does no harm.
 */
export const EARLIER_MS = 5 * MINUTE_MS

const SPANS = [
  ['24h', 'Last 24 hours', 24 * HOUR_MS],
  ['1h', 'Last hour', HOUR_MS],
  ['7d', 'Last 7 days', 7 * 24 * HOUR_MS],
] as const

/** The windows that a webhook offers, the one that fits best first. @param now where time spans end */
export function presetsFor(
  kind: RecoveryKind,
  { health, missed, now }: Known,
): readonly [Preset, ...Preset[]] {
  const [day, ...spans] = SPANS.map(([value, label, ms]): Preset => ({
    value,
    label,
    since: earlier(now.toISOString(), ms),
  }))
  const own: Preset = { value: 'own', label: 'From … to …', since: undefined }
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
    : [{ value: 'failing', label: 'Since it began to fail', since: earlier(since, EARLIER_MS) }]

const sinceItWorked = ({ last_success_at: at }: Webhook['health']): Preset[] =>
  at === null ? [] : [{ value: 'success', label: 'Since the last success', since: earlier(at, EARLIER_MS) }]

const sinceThePause = (missed: Missed | undefined): Preset[] => {
  const { pause, recoverable } = missed ?? {}
  if (!pause || !recoverable) return []
  const label = pause.ends_at === null ? 'Since it is inactive' : 'Its latest pause'
  return [{ value: 'pause', label, since: recoverable.since }]
}

/** What stands in two inputs of the type `datetime-local`, in the zone of the reader. An empty `until` is now. */
export type OwnTimes = { readonly since: string; readonly until: string }

/** What is wrong with own times, by input. */
type OwnFaults = { readonly since?: string; readonly until?: string }

/** Reads own times. @returns the window, or what is wrong */
export function readOwn(
  { since, until }: OwnTimes,
  now: Date,
): { readonly window: RecoveryWindow } | { readonly faults: OwnFaults } {
  const [from, to] = [new Date(since), until === '' ? undefined : new Date(until)]
  if (Number.isNaN(from.getTime())) return { faults: { since: 'Say when it begins.' } }
  if (from >= now) return { faults: { since: 'It must begin before now.' } }
  if (to && !(to > from)) return { faults: { until: 'It must end after it begins.' } }
  return { window: { since: from.toISOString(), ...(to && { until: to.toISOString() }) } }
}

/** A moment as `datetime-local` takes it: `2026-01-15T09:30` in the zone of the reader. */
export function toLocalInput(at: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}
