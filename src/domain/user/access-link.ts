import { HOUR_MS } from '../instants.ts'
import type { Scope } from '../key/scopes.ts'
import type { MailState } from '../mail/mail.ts'
import type { UserRole } from './user.ts'

/**
 * A link with which a person sets a password: an invitation to a company, or a reset. It works only once, within 72
 * hours, and only together with the email address for which it was made. Only the hash of its token is stored.
 */
export type AccessLink = {
  readonly id: string
  readonly companyId: string
  readonly kind: 'invitation' | 'password'
  readonly email: string
  /** The user whose password it sets; null for an invitation, which makes a user. */
  readonly userId: string | null
  /** The rights of the new user. Only for an invitation. */
  readonly role: UserRole
  readonly allowedScopes: readonly Scope[]
  /** Who made it: the id of a user, or `cli`. */
  readonly madeBy: string
  /** The mail in which it was sent; null if it was shown to the person who made it. */
  readonly mailId: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  /** How it ended early; null if it did not. `replaced`: by a newer link. */
  readonly endedAs: 'used' | 'revoked' | 'replaced' | null
}

/** A new link. `url` is shown once, to the person who made the link; null if the link was mailed. */
export type IssuedLink = { readonly link: AccessLink; readonly url: string | null }

/** An invitation in a list, with the name of the person who made it, and the state of its mail. */
export type ShownInvitation = {
  readonly link: AccessLink
  readonly madeByName: string | null
  readonly isExpired: boolean
  /** null if no mail was sent, or the mail is no longer known. */
  readonly mail: MailState | null
}

/** What a link shows to everybody who opens it: enough to tell whether it is meant for them. */
export type ShownLink = {
  readonly kind: AccessLink['kind']
  readonly companyName: string
  readonly maskedEmail: string
  readonly expiresAt: Date
}

/** How long a link works, in milliseconds: long enough for a weekend. */
export const LINK_LIFETIME_MS = 72 * HOUR_MS

/** A company may have at most this many invitations that were not used, withdrawn or replaced. Expired ones count. */
export const OPEN_INVITATIONS = 100

/** A company may make at most this many links in an hour. */
export const LINKS_PER_HOUR = 100

/** A company may mail at most this many links to one address in a day. Without a limit it could flood a stranger. */
export const MAILED_LINKS_PER_ADDRESS = 5

/** Why a link does not work, for the person who has it; undefined if it works. */
export function whyLinkEnded(
  { endedAs, expiresAt }: Pick<AccessLink, 'endedAs' | 'expiresAt'>,
  now: Date,
): string | undefined {
  if (endedAs === 'used') return 'This link was used already: sign in with the password that was set then.'
  if (endedAs === 'revoked') return 'This link was withdrawn: ask an admin of the company for a new one.'
  if (endedAs === 'replaced') return 'A newer link was made in place of this one: use that.'
  if (expiresAt <= now) return 'This link has expired: ask an admin of the company for a new one.'
  return undefined
}
