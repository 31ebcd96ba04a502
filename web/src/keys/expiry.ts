import type { Key } from '../common/api/wire.ts'
import { fromLocalInput } from '../common/format/local-times.ts'
import { texts } from './texts.ts'

/** How long a new key shall work: a number of days, until a chosen moment, or for good. */
export const EXPIRY_CHOICES = [
  { value: 'none', label: texts.neverExpires },
  { value: '30', label: texts.days30 },
  { value: '90', label: texts.days90 },
  { value: '365', label: texts.days365 },
  { value: 'custom', label: texts.atADate },
] as const

const DAY_MS = 86_400_000

/** The choice of a rotation that leaves the expiry to the api: as long after now as the old key had from its creation. */
export const SAME_LENGTH = 'same'

/** When the replacement of the key expires under that choice, as the api reckons it. */
export function sameLengthExpiry({ created_at, expires_at }: Key, now: Date): Date | null {
  if (expires_at === null) return null
  return new Date(now.getTime() + new Date(expires_at).getTime() - new Date(created_at).getTime())
}

/**
 * @param choice value of EXPIRY_CHOICES
 * @param custom what a field of a day and a time gives, in the reader's zone; for the choice `custom`
 * @returns ISO 8601 in UTC, or null for a key that does not expire; undefined while the date is not complete
 */
export function expiryOf(choice: string, custom: string, now: Date): string | null | undefined {
  if (choice === 'none') return null
  if (choice !== 'custom') return new Date(now.getTime() + Number(choice) * DAY_MS).toISOString()
  return fromLocalInput(custom)
}
