import { createHash, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

/** The name that authenticator apps show beside the account. */
const ISSUER = 'Sales Data Webhooks'
/** RFC 6238, with the values that every authenticator app supports. */
const PERIOD_S = 30
const DIGITS = 6
/** This many time steps before and after the present one are accepted: clocks differ (RFC 6238, section 5.2). */
const WINDOW = 1

/**
 * After this many wrong codes in a row, codes of the app are refused. Six digits can be guessed; recovery codes cannot
 * be guessed.
 */
export const MOST_WRONG_CODES = 10

const RECOVERY_CODES = 10
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** A new secret in base32, as authenticator apps take it: 160 random bits (RFC 4226, section 4). */
export const newTotpSecret = (): string =>
  // Stryker disable next-line ObjectLiteral: 20 is also what otpauth takes by default
  new Secret({ size: 20 }).base32

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: PERIOD_S, digits: DIGITS })

/** The text of the QR code that authenticator apps read. */
export const otpauthUrl = (secret: string, email: string): string => totpOf(secret, email).toString()

/** Whether the text has the form of a code of an authenticator app. Blanks between digits are allowed. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(withoutBlanks(code))

const withoutBlanks = (code: string): string => code.replaceAll(/\s/g, '')

/**
 * The time step of a code, counted from 1970. A code may be used once, so steps up to the last used one are refused.
 *
 * @param lastStep the step of the latest code that was used; null before the first
 * @returns undefined for a wrong code, and for a code that was used
 */
export function stepOfCode(
  secret: string,
  code: string,
  now: Date,
  lastStep: number | null,
): number | undefined {
  const timestamp = now.getTime()
  // Stryker disable next-line StringLiteral: the label is for the QR code alone
  const delta = totpOf(secret, '').validate({ token: withoutBlanks(code), timestamp, window: WINDOW })
  if (delta === null) return undefined
  const step = Math.floor(timestamp / 1000 / PERIOD_S) + delta
  return step > (lastStep ?? -1) ? step : undefined
}

/**
 * New recovery codes. Each can be used once, in place of a code of the app. A code has four groups of four letters and
 * digits, with 80 random bits in all.
 */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: 4 }, newGroup).join('-'))

const newGroup = (): string =>
  Array.from({ length: 4 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** The SHA-256 of a recovery code, which is stored in place of the code. Case, blanks and dashes are ignored. */
export const hashRecoveryCode = (code: string): Buffer =>
  createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest()
