import { claimDue, type DueClaim } from '../db/due-rows.ts'
import { endMail, postponeMail, type MailRow } from '../db/mail/mails.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { readWebhookCa } from '../deps/webhook-ca.ts'
import { doublingPause } from '../domain/doubling.ts'
import { MAIL_LIFETIME_MS, MAIL_BACKOFF_MS, type Mail } from '../domain/mail/mail.ts'
import { sealContext, unseal } from '../domain/sealing/sealing.ts'
import { Mailer, type MailResult } from '../sending/mailer.ts'
import { DueSends } from './due-sends.ts'

/**
 * Sends the mails that operations queued (operations/mail/queue.ts). If the server refuses a mail for good, the sender
 * gives up at once. After other failures it gives up a day after the mail was queued.
 *
 * @param mailer undefined: no mail server is configured, so mails wait
 */
export function createMails(
  { db, config, log, metrics }: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics'>,
  mailer: Pick<Mailer, 'send'> | undefined,
): DueSends<MailRow> {
  const claim = async (wanted: DueClaim) => (mailer ? claimDue<MailRow>(db, 'mails', wanted) : [])
  return new DueSends(log, { claim, send })

  async function send(row: MailRow): Promise<void> {
    const { id, company_id: companyId, mail_sealed: sealed } = row
    if (!mailer || sealed === null) return
    const mail = JSON.parse(unseal(config.secretsKeys, sealed, sealContext(companyId, id, 'mail'))) as Mail
    const result = await mailer.send(id, mail)
    const isSent = result.kind === 'sent'
    metrics.mails.inc({ result: isSent ? 'sent' : 'failed' })
    const facts = { mail_id: id, company_id: companyId }
    if (isSent) log.info(facts, 'mail sent')
    else log.warn({ ...facts, error: codeOf(result), tries: row.tries }, 'a mail was not sent')
    await record(row, result)
  }

  async function record({ id, tries, created_at: queuedAt }: MailRow, result: MailResult): Promise<void> {
    if (result.kind === 'sent') return endMail(db, id, null)
    const error = mailFailure(result)
    const afterMs = doublingPause(MAIL_BACKOFF_MS, tries - 1)
    const isFinal = result.kind === 'refused' && result.isFinal
    if (isFinal || Date.now() + afterMs > queuedAt.getTime() + MAIL_LIFETIME_MS) return endMail(db, id, error)
    return postponeMail(db, id, { afterMs, error })
  }
}

type Failure = Exclude<MailResult, { readonly kind: 'sent' }>

/**
 * The time limit of one mail, in milliseconds. It is shorter than the default of SHUTDOWN_GRACE, because a stop waits
 * for mails under way.
 */
const MAIL_TIMEOUT_MS = 15_000

/** Creates the sender of mails. Undefined if no mail server is configured. */
export const createMailer = (config: SystemDeps['config']): Mailer | undefined =>
  config.mailServer &&
  new Mailer({ ...config.mailServer, ca: readWebhookCa(config), timeoutMs: MAIL_TIMEOUT_MS })

/** Returns the code of a failure for the log. The server's full answer is left out, because it may contain the address. */
export const codeOf = (failure: Failure): string =>
  failure.kind === 'refused' ? `refused ${failure.answer.slice(0, 3)}` : failure.reason

/** The longest text that is kept of a failure, in characters. */
const FAILURE_LENGTH = 300

/** Describes a failure for the company. */
export const mailFailure = (failure: Failure): string =>
  (failure.kind === 'refused'
    ? `The mail server refused the mail: ${failure.answer}`
    : `The mail server could not be used (${failure.reason}). Its operator can see why.`
  ).slice(0, FAILURE_LENGTH)
