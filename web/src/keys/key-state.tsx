import type { KeyState } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import type { Tone } from '../common/ui/tone.ts'
import { Countdown } from '../common/ui/when.tsx'

const STATES: Readonly<Record<KeyState, readonly [tone: Tone, word: string]>> = {
  active: ['good', 'active'],
  disabled: ['idle', 'disabled'],
  in_rotation: ['busy', 'in rotation'],
  expired: ['warning', 'expired'],
  revoked: ['bad', 'revoked'],
}

/** The state of a key. A key in rotation shows how long it still works. */
export function KeyStateBadge({ state, expiresAt }: { state: KeyState; expiresAt: string | null }) {
  const [tone, word] = STATES[state]
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {state === 'in_rotation' && expiresAt !== null && (
        <div>
          works for <Countdown until={expiresAt} />
        </div>
      )}
    </>
  )
}
