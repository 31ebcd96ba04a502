import type { Mail } from '../../domain/mail/mail.ts'

/** The mail that asks whether an address wants the notices. */
export const confirmationMail = (to: string, code: string): Mail => ({
  to,
  subject: `${code} is the code for notices to this address`,
  text: `Somebody wants notices of webhooks and API keys to be mailed to this address.\n\nIf you agree, give them this code: ${code}\n\nOtherwise do nothing: no other mail will come.\n`,
})
