import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS } from '../instants.ts'
import type { User } from './user.ts'

/** A session ends when nobody used it for this long. */
export const SESSION_IDLE_MS = 12 * 3_600_000

/** A session ends this long after the sign-in, however much it is used. */
export const SESSION_LIFETIME_MS = 7 * DAY_MS

/** For this long after users gave their password, they are not asked for it again. */
const REAUTHENTICATION_MS = 10 * 60_000

/** Sessions of one user at a time. A further sign-in ends the least recently used one. */
export const MOST_SESSIONS = 20

/** How often the use of a session is noted at most, so that not every request writes. */
export const SESSION_NOTED_EVERY_MS = 60_000

/** The user who is signed in, as the console needs them. */
export type SessionUser = Pick<
  User,
  'id' | 'companyId' | 'email' | 'name' | 'role' | 'allowedScopes' | 'createdAt'
> & {
  readonly hasSecondFactor: boolean
  /** Since when the app's codes are refused because of wrong codes; null: they are not. */
  readonly secondFactorLockedAt: Date | null
}

/** A session that has not ended, by the database's clock. */
export type Session = {
  readonly idHash: Buffer
  readonly user: SessionUser
  readonly companyName: string
  /** Since when the company is suspended; null: it is not. */
  readonly companySuspendedAt: Date | null
  /** Whether the company asks its users for a second factor. */
  readonly requiresSecondFactor: boolean
  readonly seenAt: Date
  /** When the password was last given. */
  readonly passwordAt: Date
  readonly expiresAt: Date
  /** The database's clock when the session was read. */
  readonly now: Date
}

const FORM = /^[A-Za-z0-9_-]{43}$/

/** A new id of a session, or token of a link: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** Whether the text has the form of a token of newToken. */
export const isToken = (text: string): boolean => FORM.test(text)

/** A session as its user sees it. */
export type OwnSession = {
  readonly idHash: Buffer
  readonly createdAt: Date
  readonly seenAt: Date
  /** Where it began, and with which browser; null: it is not known. */
  readonly ip: string | null
  readonly userAgent: string | null
}

/** SHA-256 of a token, under which it is stored. For 32 random bytes a fast hash is safe. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Whether the user can do nothing until they have set up the second factor that the company asks for. */
export const lacksSecondFactor = ({ user, requiresSecondFactor }: Session): boolean =>
  requiresSecondFactor && !user.hasSecondFactor

/** Until when the user is not asked for the password again. */
export const reauthenticatedUntil = ({ passwordAt }: Pick<Session, 'passwordAt'>): Date =>
  new Date(passwordAt.getTime() + REAUTHENTICATION_MS)

/** Whether the password was given lately enough for changes that need it. */
export const isReauthenticated = (session: Pick<Session, 'passwordAt' | 'now'>): boolean =>
  session.now < reauthenticatedUntil(session)

/** When the session ends if this request is its last one. Never later than `expiresAt`. */
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

/** A browser in words, `Firefox on Windows`, from its User-Agent header. Browsers also name other browsers, so the order matters. */
export function browserInWords(userAgent: string | null): string {
  // Stryker disable next-line ConditionalExpression: no pattern matches «null»; this is for the compiler
  if (userAgent === null) return 'Unknown browser'
  const [browser, system] = [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)]
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `A browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}
