import type { Key, KeyState } from '../common/api/keys.js'
import type { SignedIn } from '../common/api/session.js'
import { Status, type Tone } from '../common/ui/status.js'
import { Countdown } from '../common/ui/when.js'

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

/** Whether the key can still change: what is expired or revoked stays so. */
export const isAlive = ({ state }: Key): boolean => state !== 'expired' && state !== 'revoked'

/** Members change their own keys only. The api checks it again. */
export const mayChange = ({ user, permissions }: SignedIn, key: Key): boolean =>
  permissions.includes('keys.any') || (key.type === 'Personal' && key.user_id === user.id)
