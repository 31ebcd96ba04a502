/** The five grace periods of the specification (Rotation), each with its length in milliseconds. */
export const DEFAULT_ROTATION_GRACES_MS = {
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '48h': 172_800_000,
  '7d': 604_800_000,
} as const

export type RotationGrace = keyof typeof DEFAULT_ROTATION_GRACES_MS

export const ROTATION_GRACES = Object.keys(DEFAULT_ROTATION_GRACES_MS) as readonly RotationGrace[]

/**
 * When the old key of a rotation expires: at the end of the grace period, or at its own expiration date if that is earlier.
 * A rotation never makes a key live longer.
 */
export function rotatedExpiry(oldExpiresAt: Date | null, now: Date, graceMs: number): Date {
  const graceEndMs = now.getTime() + graceMs
  return new Date(oldExpiresAt === null ? graceEndMs : Math.min(oldExpiresAt.getTime(), graceEndMs))
}

/** The end of the year 9999. A column cannot hold a later moment, and ISO 8601 with four digits cannot express one. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * When the replacement key expires, unless the caller chooses a date. It gets the same lifetime as the old key. It
 * never expires if the old key had no expiration date.
 */
export function replacementExpiry(
  { createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date | null },
  now: Date,
): Date | null {
  if (expiresAt === null) return null
  return new Date(Math.min(now.getTime() + expiresAt.getTime() - createdAt.getTime(), LATEST_MS))
}
