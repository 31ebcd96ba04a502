import type { User } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** The second factor of somebody, in a word. */
export const secondFactorOf = ({ totp_enabled, totp_locked_at }: User): string =>
  totp_locked_at !== null
    ? texts.secondFactorLocked
    : totp_enabled
      ? texts.secondFactorOn
      : texts.secondFactorOff
