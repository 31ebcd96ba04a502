import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS } from '../instants.ts'
import type { User } from './user.ts'

/** A session ends if it was not used for this long, in milliseconds. */
export const SESSION_IDLE_MS = 12 * 3_600_000

/** A session ends this long after the sign-in, even if it is used. */
export const SESSION_LIFETIME_MS = 7 * DAY_MS

/** For this long after a user entered the password, the user is not asked for it again. */
const REAUTHENTICATION_MS = 10 * 60_000

/** A user has at most this many sessions. A further sign-in ends the least recently used session. */
export const MOST_SESSIONS = 20

/** The use of a session is stored at most once in this time, so that not every request writes to the database. */
export const SESSION_NOTED_EVERY_MS = 60_000

/** The signed-in user, with the fields that the console needs. */
export type SessionUser = Pick<
  User,
  'id' | 'companyId' | 'email' | 'name' | 'role' | 'allowedScopes' | 'createdAt'
> & {
  readonly hasSecondFactor: boolean
  /** Since when the app's codes are locked, because of wrong codes; null if they are not locked. */
  readonly secondFactorLockedAt: Date | null
}

/** A session that has not ended, by the database's clock. */
export type Session = {
  readonly idHash: Buffer
  readonly user: SessionUser
  readonly companyName: string
  /** Since when the company is suspended; null if it is not. */
  readonly companySuspendedAt: Date | null
  /** Whether the company asks its users for a second factor. */
  readonly requiresSecondFactor: boolean
  readonly seenAt: Date
  /** When the user last entered the password. */
  readonly passwordAt: Date
  readonly expiresAt: Date
  /** When the session was read, by the database's clock. */
  readonly now: Date
}

const FORM = /^[A-Za-z0-9_-]{43}$/

/** A new session id, or a new token for a link: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Whether the text has the form of the tokens that newToken makes. */
export const isToken = (text: string): boolean => FORM.test(text)

/** A session as its user sees it. */
export type OwnSession = {
  readonly idHash: Buffer
  readonly createdAt: Date
  readonly seenAt: Date
  /** Its address and browser at the sign-in; null if unknown. */
  readonly ip: string | null
  readonly userAgent: string | null
}

/** The SHA-256 of a token, which is stored in place of the token. A fast hash is safe for 32 random bytes. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether the user must first set up the second factor that the company requires. */
export const lacksSecondFactor = ({ user, requiresSecondFactor }: Session): boolean =>
  requiresSecondFactor && !user.hasSecondFactor

/** Until when the user can make changes without entering the password again. */
export const reauthenticatedUntil = ({ passwordAt }: Pick<Session, 'passwordAt'>): Date =>
  new Date(passwordAt.getTime() + REAUTHENTICATION_MS)

/** Whether the user entered the password recently enough for changes that need it. */
export const isReauthenticated = (session: Pick<Session, 'passwordAt' | 'now'>): boolean =>
  session.now < reauthenticatedUntil(session)

/** When the session ends if no other request follows this one. Never later than `expiresAt`. */
export const idleEnd = ({ now, expiresAt }: Pick<Session, 'now' | 'expiresAt'>): Date =>
  new Date(Math.min(now.getTime() + SESSION_IDLE_MS, expiresAt.getTime()))

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const nameIn = (names: typeof BROWSERS, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/**
 * The browser in words, such as `Firefox on Windows`, from its User-Agent header. Browsers also name other browsers, so the
 * order matters.
 */
export function browserInWords(userAgent: string | null): string {
  // Stryker disable next-line ConditionalExpression: no pattern matches «null»; this is for the compiler
  if (userAgent === null) return 'Unknown browser'
  const [browser, system] = [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)]
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `A browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
