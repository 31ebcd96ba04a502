import type { Key } from '../common/api/wire.ts'
import { fromLocalInput } from '../common/format/local-times.ts'
import { texts } from './texts.ts'

/** When a new key expires: after a number of days, at a chosen moment, or never. */
export const EXPIRY_CHOICES = [
  { value: 'none', label: texts.neverExpires },
  { value: '30', label: texts.days30 },
  { value: '90', label: texts.days90 },
  { value: '365', label: texts.days365 },
  { value: 'custom', label: texts.atADate },
] as const

const DAY_MS = 86_400_000

/** With this choice of a rotation the api sets the expiry: the new key gets the lifetime that the old key had. */
export const SAME_LENGTH = 'same'

/** When the replacement key expires with that choice, computed as the api does. */
export function sameLengthExpiry({ created_at, expires_at }: Key, now: Date): Date | null {
  if (expires_at === null) return null
  return new Date(now.getTime() + new Date(expires_at).getTime() - new Date(created_at).getTime())
}

/**
 * @param choice value of EXPIRY_CHOICES
 * @param custom the value of a date and time field, in the reader's zone; used with the choice `custom`
 * @returns ISO 8601 in UTC; null: the key never expires; undefined: the date is incomplete
 */
export function expiryOf(choice: string, custom: string, now: Date): string | null | undefined {
  if (choice === 'none') return null
  if (choice !== 'custom') return new Date(now.getTime() + Number(choice) * DAY_MS).toISOString()
  return fromLocalInput(custom)
}
