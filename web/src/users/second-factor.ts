import type { User } from '../common/api/wire.ts'

/** The second factor of somebody, in a word. */
export const secondFactorOf = ({ totp_enabled, totp_locked_at }: User): string =>
  totp_locked_at !== null ? 'locked' : totp_enabled ? 'on' : 'off'
