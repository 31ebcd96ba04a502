import type { Doubling } from '../doubling.ts'
import { DAY_MS } from '../instants.ts'

/** A mail to one address. `to` and `subject` are one line each; `text` is plain text. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string }

/** The state of a mail: `waiting` for its next try, `sent`, or `failed` for good. */
export const MAIL_STATES = ['waiting', 'sent', 'failed'] as const
export type MailState = (typeof MAIL_STATES)[number]

/** Allows no character with a meaning in a mail header. So a mail goes to one address, whatever a customer typed. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u
/** RFC 5321, section 4.5.3.1.3: a path has at most 256 octets, two of them its brackets. */
const ADDRESS_BYTES = 254

/** Whether the text is a single mail address, without a name and without quotes or brackets. */
export const isMailAddress = (text: string): boolean =>
  ADDRESS.test(text) && Buffer.byteLength(text) <= ADDRESS_BYTES

/** An address, masked so that its owner can still recognise it: `a…@example.com`. */
export const maskedEmail = (email: string): string => email.replace(/^(.)[^@]*/u, '$1…')

/** A company may cause at most this many mails a day, so that it cannot flood strangers with invitations and codes. */
export const MAILS_PER_DAY = 100

/** Why a mail is sent: the code of a channel, an invitation, or a link for a new password. */
export type MailPurpose = 'code' | 'invitation' | 'password'

/**
 * Within a day, one mailbox gets at most this many mails of each purpose, from all companies together. Each purpose has
 * its own count. So nobody can keep an invitation away by asking for codes.
 */
export const MAILS_PER_MAILBOX: Readonly<Record<MailPurpose, number>> = {
  code: 5,
  invitation: 10,
  password: 20,
}

/**
 * One text for all addresses that most providers deliver to the same mailbox: it ignores case, dots, and what follows a
 * `+`. A few providers deliver such addresses to different mailboxes. Those mailboxes share one limit.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const inOneForm = (part: string) => part.normalize('NFKC').toLowerCase()
  const [local, host] = [inOneForm(address.slice(0, at)), inOneForm(address.slice(at + 1))]
  const name = local.replace(/\+.*$/s, '').replaceAll('.', '')
  // The URL parser turns an international host name into ASCII.
  const written = URL.parse(`https://${host}`)?.hostname ?? host
  return `${name === '' ? local : name}@${written.replace(/\.$/, '')}`
}

/** A mail that could not be sent within this time is given up. */
export const MAIL_LIFETIME_MS = DAY_MS

/** The pause before another try to send a mail. */
export const MAIL_BACKOFF_MS: Doubling = { first: 60_000, longest: 3_600_000 }
