import type { KeyState } from '../common/api/wire.ts'
import { bothTimes, momentOf } from '../common/format/times.ts'
import { useNow } from '../common/ui/now.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { texts } from './texts.ts'

const STATES: Readonly<Record<KeyState, readonly [tone: Tone, word: string]>> = {
  active: ['good', texts.isActive],
  disabled: ['idle', texts.disabled],
  in_rotation: ['warning', texts.inRotation],
  expired: ['warning', texts.isExpired],
  revoked: ['bad', texts.isRevoked],
}

type Props = { readonly state: KeyState; readonly expiresAt: string | null; readonly isBadge?: boolean }

/** The state of a key. If the key is in rotation, the badge says until when it still works. In a list, a column says that. */
export function KeyStateBadge({ state, expiresAt, isBadge = false }: Props) {
  const now = useNow()
  const [tone, word] = STATES[state]
  const end = state === 'in_rotation' && expiresAt !== null ? new Date(expiresAt) : undefined
  return (
    <span title={end && bothTimes(end)}>
      <Status tone={tone} isBadge={isBadge}>
        {end && isBadge ? texts.worksUntil({ when: momentOf(end, now) }) : word}
      </Status>
    </span>
  )
}
