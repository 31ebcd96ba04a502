import type { HealthState } from '../common/api/webhooks.js'
import { Status } from '../common/ui/status.js'
import type { Tone } from '../common/ui/tone.js'

const STATES: Readonly<Record<HealthState, readonly [tone: Tone, word: string]>> = {
  healthy: ['good', 'healthy'],
  failing: ['bad', 'failing'],
  disabled: ['idle', 'inactive'],
}

export function HealthBadge({ state }: { state: HealthState }) {
  const [tone, word] = STATES[state]
  return <Status tone={tone}>{word}</Status>
}
