import type { SystemDb } from '../connection/connection.ts'

/** What is sealed in a webhook's row. `headersSealed` is null for a webhook without custom headers. */
export type WebhookSeals = {
  readonly id: string
  readonly companyId: string
  readonly secretSealed: string
  readonly headersSealed: string | null
}

/** A kept answer to a request with an Idempotency-Key. */
export type AnswerSeal = {
  readonly requestHash: Buffer
  readonly companyId: string
  readonly answerSealed: string
}

/** The webhooks after an id, in the order of their ids, of all companies. Deleted ones hold nothing any more. */
export async function listWebhookSeals(
  db: SystemDb,
  afterId: string,
  limit: number,
): Promise<WebhookSeals[]> {
  return db('webhooks')
    .where('id', '>', afterId)
    .whereNull('deleted_at')
    .orderBy('id')
    .limit(limit)
    .select<WebhookSeals[]>({
      id: 'id',
      companyId: 'company_id',
      secretSealed: 'secret_sealed',
      headersSealed: 'headers_sealed',
    })
}

/**
 * Replaces what is sealed in a webhook's row, and nothing else: neither its version nor `updated_at`.
 *
 * @returns false, with nothing replaced, when the row has changed since it was read
 */
export async function replaceWebhookSeals(
  db: SystemDb,
  from: WebhookSeals,
  to: WebhookSeals,
): Promise<boolean> {
  const replaced = await db('webhooks')
    .where({ id: from.id, secret_sealed: from.secretSealed, headers_sealed: from.headersSealed })
    .update({ secret_sealed: to.secretSealed, headers_sealed: to.headersSealed })
  return replaced === 1
}

/** The kept answers after a request, in the order of their request hashes, of all companies. */
export async function listAnswerSeals(db: SystemDb, afterHash: Buffer, limit: number): Promise<AnswerSeal[]> {
  return db('idempotency')
    .where('scope', '>', afterHash)
    .whereNotNull('answer_sealed')
    .orderBy('scope')
    .limit(limit)
    .select<AnswerSeal[]>({ requestHash: 'scope', companyId: 'company_id', answerSealed: 'answer_sealed' })
}

/** Replaces a kept answer. @returns false when it has changed since it was read */
export async function replaceAnswerSeal(
  db: SystemDb,
  from: AnswerSeal,
  answerSealed: string,
): Promise<boolean> {
  const replaced = await db('idempotency')
    .where({ scope: from.requestHash, answer_sealed: from.answerSealed })
    .update({ answer_sealed: answerSealed })
  return replaced === 1
}

/** The sealed secret of a user's authenticator app. */
export type TotpSeal = { readonly id: string; readonly companyId: string; readonly totpSealed: string }

/** The members after an id who have one, in the order of their ids, of all companies. */
export async function listTotpSeals(db: SystemDb, afterId: string, limit: number): Promise<TotpSeal[]> {
  return db('users')
    .where('id', '>', afterId)
    .whereNotNull('totp_sealed')
    .orderBy('id')
    .limit(limit)
    .select<TotpSeal[]>({ id: 'id', companyId: 'company_id', totpSealed: 'totp_sealed' })
}

/** Replaces it. @returns false when it has changed since it was read */
export async function replaceTotpSeal(db: SystemDb, from: TotpSeal, totpSealed: string): Promise<boolean> {
  const replaced = await db('users')
    .where({ id: from.id, totp_sealed: from.totpSealed })
    .update({ totp_sealed: totpSealed })
  return replaced === 1
}
