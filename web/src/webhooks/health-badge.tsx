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

/** Healthy says something only once an event has arrived. */
const UNTRIED = ['idle', texts.nothingDeliveredYet] as const

const DEGRADED = ['warning', texts.isDegraded] as const

type Props = {
  readonly health: Webhook['health']
  /** Its last 24 hours; undefined until they have come. */
  readonly activity?: WebhookActivity | undefined
  readonly isBadge?: boolean
}

/** The health of an endpoint in a word: by its latest attempt, and by those of the day where that one succeeded. */
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

/** The state of an endpoint as a colour. */
export const activityTone = (activity: WebhookActivity): Tone =>
  isDegraded(activity) ? DEGRADED[0] : STATES[activity.health.state][0]
