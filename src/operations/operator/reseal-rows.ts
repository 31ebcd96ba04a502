import {
  replaceAnswerSeal,
  replaceTotpSeal,
  replaceWebhookSeals,
  type AnswerSeal,
  type TotpSeal,
  type WebhookSeals,
} from '../../db/sealing/sealed-values.ts'
import { reseal, answerContext, totpContext, webhookContext } from '../../domain/sealing/sealing.ts'
import type { SystemDeps } from '../../deps/deps.ts'

/**
 * Each of these functions seals one row anew, under the first key.
 *
 * @param isDryRun opens and seals the row, but leaves it as it is
 * @returns false when it has that key already, or was changed meanwhile
 * @throws SealError when no key opens it
 */

export async function resealWebhook(
  { db, config }: SystemDeps,
  row: WebhookSeals,
  isDryRun: boolean,
): Promise<boolean> {
  const { id, companyId, secretSealed, headersSealed } = row
  const anew = (sealed: string, what: 'secret' | 'headers') =>
    reseal(config.secretsKeys, sealed, webhookContext(companyId, id, what))
  const changed = {
    ...row,
    secretSealed: anew(secretSealed, 'secret'),
    headersSealed: headersSealed && anew(headersSealed, 'headers'),
  }
  if (changed.secretSealed === secretSealed && changed.headersSealed === headersSealed) return false
  return isDryRun || replaceWebhookSeals(db, row, changed)
}

export async function resealAnswer(
  { db, config }: SystemDeps,
  row: AnswerSeal,
  isDryRun: boolean,
): Promise<boolean> {
  const { requestHash, companyId, answerSealed } = row
  const changed = reseal(config.secretsKeys, answerSealed, answerContext(companyId, requestHash))
  return changed === answerSealed ? false : isDryRun || replaceAnswerSeal(db, row, changed)
}

export async function resealTotp(
  { db, config }: SystemDeps,
  row: TotpSeal,
  isDryRun: boolean,
): Promise<boolean> {
  const changed = reseal(config.secretsKeys, row.totpSealed, totpContext(row.companyId, row.id))
  return changed === row.totpSealed ? false : isDryRun || replaceTotpSeal(db, row, changed)
}
