import type { Webhook, WebhookActivity } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { isDegraded } from './rate-tone.ts'
import { texts } from './texts.ts'

const STATES: Readonly<Record<Webhook['health']['state'], readonly [tone: Tone, word: string]>> = {
  healthy: ['good', texts.isHealthy],
  failing: ['bad', texts.isFailing],
  disabled: ['idle', texts.stateInactive],
}

/** «Healthy» is shown only after an event was delivered. */
const UNTRIED = ['idle', texts.nothingDeliveredYet] as const

const DEGRADED = ['warning', texts.isDegraded] as const

type Props = {
  readonly health: Webhook['health']
  /** The attempts of the last 24 hours; undefined until they arrive. */
  readonly activity?: WebhookActivity | undefined
  readonly isBadge?: boolean
}

/**
 * The health of an endpoint in a word. It goes by the latest attempt. If that succeeded, it goes by the attempts of the last
 * 24 hours.
 */
export function HealthBadge({ health: { state, last_success_at }, activity, isBadge = false }: Props) {
  const [tone, word] =
    state === 'healthy' && last_success_at === null
      ? UNTRIED
      : activity && isDegraded(activity)
        ? DEGRADED
        : STATES[state]
  return (
    <Status tone={tone} isBadge={isBadge}>
      {word}
    </Status>
  )
}

/** The colour for the state of an endpoint. */
export const activityTone = (activity: WebhookActivity): Tone =>
  isDegraded(activity) ? DEGRADED[0] : STATES[activity.health.state][0]
