import type { User } from '../common/api/wire.ts'
import { Status } from '../common/ui/status.tsx'
import { texts } from './texts.ts'

/** The state of a user's second factor, in a word. */
export function SecondFactorState({ user }: { user: User }) {
  if (user.totp_locked_at !== null) return <Status tone="bad">{texts.secondFactorLocked}</Status>
  return user.totp_enabled ? (
    <Status tone="good">{texts.secondFactorOn}</Status>
  ) : (
    <Status tone="idle">{texts.secondFactorOff}</Status>
  )
}
