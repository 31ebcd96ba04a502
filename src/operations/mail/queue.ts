import type { Db } from '../../db/connection/connection.ts'
import { countMailsOfDay, insertMail } from '../../db/mail/mails.ts'
import type { Deps } from '../../deps/deps.ts'
import { ApiError, retryAfter } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { HOUR_MS } from '../../domain/instants.ts'
import { isMailAddress, MAILS_PER_DAY, type Mail } from '../../domain/mail/mail.ts'
import { mailContext, seal } from '../../domain/sealing/sealing.ts'

/**
 * Queues a mail in the caller's transaction. A worker sends it within seconds, and tries again for a day while the mail
 * server is away; `listMailStates` tells what became of it.
 *
 * @param companyId who causes it: each company may cause MAILS_PER_DAY
 * @param mail `text` is plain text. Whatever a customer typed belongs into the text or the subject, and links nowhere but here
 * @returns the id of the mail
 * @throws ApiError INVALID_REQUEST where no mail server is set, VALIDATION_ERROR for what is no mail address, RATE_LIMITED
 */
export async function queueMail(
  { config }: Pick<Deps, 'config'>,
  trx: Db,
  companyId: string,
  mail: Mail,
): Promise<string> {
  if (!config.mailServer) {
    throw new ApiError('INVALID_REQUEST', 'This service sends no mail: its operator has set no mail server.')
  }
  if (!isMailAddress(mail.to)) {
    throw new ApiError('VALIDATION_ERROR', 'This must be one mail address, such as ops@example.com.')
  }
  if ((await countMailsOfDay(trx, companyId)) >= MAILS_PER_DAY) {
    throw new ApiError(
      'RATE_LIMITED',
      `A company may cause ${MAILS_PER_DAY} mails a day. Try again tomorrow.`,
      {
        headers: retryAfter(HOUR_MS),
      },
    )
  }
  const id = newId('mail')
  const sealed = seal(config.secretsKeys, JSON.stringify(mail), mailContext(companyId, id))
  await insertMail(trx, companyId, { id, sealed })
  return id
}
