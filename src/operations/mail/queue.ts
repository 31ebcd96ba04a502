import type { Db } from '../../db/connection/connection.ts'
import { databaseNow } from '../../db/clock.ts'
import { countMailsOfDay, countMailTo, insertMail } from '../../db/mail/mails.ts'
import type { Deps } from '../../deps/deps.ts'
import { invalidRequest, invalid, retryLater } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { DAY_MS, HOUR_MS } from '../../domain/instants.ts'
import {
  isMailAddress,
  mailboxOf,
  MAILS_PER_DAY,
  MAILS_PER_MAILBOX,
  type Mail,
  type MailPurpose,
} from '../../domain/mail/mail.ts'
import { keyedHash, seal, sealContext } from '../../domain/sealing/sealing.ts'

/**
 * Queues a mail in the caller's transaction. A worker sends it within seconds, and tries again for a day while the mail
 * server is away; `listMailStates` tells what became of it.
 *
 * @param companyId the company that causes the mail. Each company may cause MAILS_PER_DAY. For each purpose, all
 *   companies together may cause MAILS_PER_MAILBOX mails to one mailbox
 * @param mail may contain what a customer typed, but every link in it must lead to this service
 * @returns the id of the mail
 * @throws ApiError INVALID_REQUEST where no mail server is set, VALIDATION_ERROR if `to` is no mail address, RATE_LIMITED
 */
export async function queueMail(
  { config }: Pick<Deps, 'config'>,
  trx: Db,
  companyId: string,
  purpose: MailPurpose,
  mail: Mail,
): Promise<string> {
  if (!config.mailServer)
    throw invalidRequest('This service sends no mail: its operator has set no mail server.')
  if (!isMailAddress(mail.to)) throw invalid('This must be one mail address, such as ops@example.com.')
  if ((await countMailsOfDay(trx, companyId)) >= MAILS_PER_DAY) {
    const message = `A company may cause ${MAILS_PER_DAY} mails a day. Try again tomorrow.`
    throw retryLater('RATE_LIMITED', message, HOUR_MS)
  }
  await limitMailbox(config, trx, purpose, mail.to)
  const id = newId('mail')
  const sealed = seal(config.secretsKeys, JSON.stringify(mail), sealContext(companyId, id, 'mail'))
  await insertMail(trx, companyId, { id, sealed })
  return id
}

const IN_WORDS: Readonly<Record<MailPurpose, string>> = {
  code: 'codes for channels',
  invitation: 'invitations',
  password: 'links for a new password',
}

/**
 * Limits the mails to one mailbox. It stores only a keyed hash, so nobody without the key can find in the database whom
 * the service has mailed.
 */
async function limitMailbox({ secretsKeys }: Deps['config'], trx: Db, purpose: MailPurpose, to: string) {
  const now = await databaseNow(trx)
  const mailbox = keyedHash(secretsKeys, `mail|${purpose}|${mailboxOf(to)}`)
  const { count, endsAt } = await countMailTo(trx, mailbox, { now, windowMs: DAY_MS })
  if (count <= MAILS_PER_MAILBOX[purpose]) return
  const message = `An address gets ${MAILS_PER_MAILBOX[purpose]} ${IN_WORDS[purpose]} a day: try again at ${endsAt.toISOString()}.`
  throw retryLater('RATE_LIMITED', message, endsAt.getTime() - now.getTime())
}
