import type { KeyState } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { Countdown } from '../common/ui/when.tsx'
import { texts } from './texts.ts'

const STATES: Readonly<Record<KeyState, readonly [tone: Tone, word: string]>> = {
  active: ['good', texts.isActive],
  disabled: ['idle', texts.disabled],
  in_rotation: ['busy', texts.inRotation],
  expired: ['warning', texts.isExpired],
  revoked: ['bad', texts.isRevoked],
}

type Props = { readonly state: KeyState; readonly expiresAt: string | null; readonly isBadge?: boolean }

/** The state of a key. A key in rotation shows how long it still works. */
export function KeyStateBadge({ state, expiresAt, isBadge = false }: Props) {
  const [tone, word] = STATES[state]
  return (
    <div>
      <Status tone={tone} isBadge={isBadge}>
        {word}
      </Status>
      {state === 'in_rotation' && expiresAt !== null && (
        <span className="second-line">{texts.worksFor({ when: <Countdown until={expiresAt} /> })}</span>
      )}
    </div>
  )
}
