import type { Webhook } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { texts } from './texts.ts'

const STATES: Readonly<Record<Webhook['health']['state'], readonly [tone: Tone, word: string]>> = {
  healthy: ['good', texts.isHealthy],
  failing: ['bad', texts.isFailing],
  disabled: ['idle', texts.stateInactive],
}

/** Healthy says something only once an event has arrived. */
const UNTRIED = ['idle', texts.nothingDeliveredYet] as const

type Props = { readonly health: Webhook['health']; readonly isBadge?: boolean }

export function HealthBadge({ health: { state, last_success_at }, isBadge = false }: Props) {
  const [tone, word] = state === 'healthy' && last_success_at === null ? UNTRIED : STATES[state]
  return (
    <Status tone={tone} isBadge={isBadge}>
      {word}
    </Status>
  )
}
