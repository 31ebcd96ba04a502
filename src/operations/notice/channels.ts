import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import {
  deleteChannel,
  insertChannel,
  listChannelRows,
  lockChannelRow,
  toChannel,
  type ChannelRow,
} from '../../db/notice/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { conflict, invalid, orNotFound } from '../../domain/errors.ts'
import { checkName } from '../../domain/key/fields.ts'
import { isId, newId } from '../../domain/ids.ts'
import {
  CHANNELS_PER_COMPANY,
  DEFAULT_CHANNEL_PAUSE_MS,
  maskTarget,
  newChannelCode,
  type Channel,
  type ChannelKind,
} from '../../domain/notice/channel.ts'
import type { NoticeKind } from '../../domain/notice/notice.ts'
import { seal, sealContext } from '../../domain/sealing/sealing.ts'
import { newWebhookSecret } from '../../domain/webhook/signing.ts'
import { checkWebhookUrl } from '../../domain/webhook/url.ts'
import type { Mail } from '../../domain/mail/mail.ts'
import { auditAs } from '../audit.ts'
import { lockCompanyOrRefuse, requireCompany } from '../companies.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { queueMail } from '../mail/queue.ts'
import { requireRole } from '../user/authority.ts'

/** A new channel, and its secret if it is an `https` channel. */
export type AddedChannel = { readonly channel: Channel; readonly secret: string | undefined }

export type NewChannel = {
  readonly kind: ChannelKind
  readonly name?: string | null | undefined
  /** A mail address, or an HTTPS URL. */
  readonly target: string
  /** By default all. */
  readonly noticeKinds?: readonly NoticeKind[] | null | undefined
  readonly pauseMs?: number | undefined
}

/**
 * Adds a channel. An `email` channel waits until its address is confirmed by the code that is mailed to it. An `https` channel
 * has a signing secret, which only this answer shows.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR; CONFLICT when the company has CHANNELS_PER_COMPANY channels already;
 *   INSUFFICIENT_PERMISSIONS; INVALID_REQUEST and RATE_LIMITED as queueMail
 */
export async function addChannel(
  deps: Deps,
  companyId: string,
  actor: Actor,
  { kind, name = null, target, noticeKinds, pauseMs = DEFAULT_CHANNEL_PAUSE_MS }: NewChannel,
  kept?: AnswerToKeep<AddedChannel>,
): Promise<AddedChannel> {
  const { db, config } = deps
  checkTarget(config, kind, target)
  if (name !== null) checkName(name)
  const id = newId('noticeChannel')
  const secret = { email: newChannelCode, slack: () => undefined, https: newWebhookSecret }[kind]()
  const sealed = (text: string, what: 'target' | 'secret') =>
    seal(config.secretsKeys, text, sealContext(companyId, id, what))
  return inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    // Lock the company, so that parallel requests cannot exceed the limit.
    await lockCompanyOrRefuse(trx, companyId)
    if ((await listChannelRows(trx, companyId)).length >= CHANNELS_PER_COMPANY)
      throw conflict(`A company has ${CHANNELS_PER_COMPANY} channels at most. Remove one first.`)
    if (kind === 'email')
      await queueMail(deps, trx, companyId, 'code', confirmationMail(target, secret ?? ''))
    const now = await databaseNow(trx)
    const masked = maskTarget(kind, target)
    await insertChannel(trx, companyId, {
      id,
      kind,
      name,
      target: masked,
      target_sealed: sealed(target, 'target'),
      secret_sealed: secret === undefined ? null : sealed(secret, 'secret'),
      notice_kinds: noticeKinds ? JSON.stringify(noticeKinds) : null,
      pause_ms: pauseMs,
      confirmed_at: kind === 'email' ? null : now,
      created_at: now,
    })
    await auditAs({ companyId }, actor)(trx, 'channel.create', id, now, { kind, target: masked })
    const channel = toChannel(await lockOrRefuse(trx, companyId, id))
    return keepAnswer(trx, kept, { channel, secret: kind === 'https' ? secret : undefined })
  })
}

/** Checks a URL; queueMail checks a mail address. @throws ApiError VALIDATION_ERROR */
export function checkTarget(config: Deps['config'], kind: ChannelKind, target: string): void {
  if (kind === 'email') return
  const verdict = checkWebhookUrl(target, config.webhookAllowedNetworks)
  if (!verdict.ok) throw invalid(verdict.reason)
}

/** The row of a channel, locked. @throws ApiError NOT_FOUND */
export const lockOrRefuse = async (trx: Deps['db'], companyId: string, id: string): Promise<ChannelRow> =>
  orNotFound(isId('noticeChannel', id) ? await lockChannelRow(trx, companyId, id) : undefined, 'Channel')

/** The channels of a company, oldest first. */
export async function listChannels({ db }: Pick<Deps, 'db'>, companyId: string): Promise<Channel[]> {
  await requireCompany({ db }, companyId)
  return (await listChannelRows(db, companyId)).map(toChannel)
}

/** Removes a channel and the notices that wait for it. @throws ApiError NOT_FOUND, INSUFFICIENT_PERMISSIONS */
export async function removeChannel(
  { db }: Pick<Deps, 'db'>,
  companyId: string,
  actor: Actor,
  id: string,
): Promise<{ readonly removed: true }> {
  return inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    const { kind, target } = await lockOrRefuse(trx, companyId, id)
    await deleteChannel(trx, companyId, id)
    await auditAs({ companyId }, actor)(trx, 'channel.remove', id, await databaseNow(trx), { kind, target })
    return { removed: true } as const
  })
}

/** The mail that asks whether an address wants the notices. */
export const confirmationMail = (to: string, code: string): Mail => ({
  to,
  subject: `${code} is the code for notices to this address`,
  text: `Somebody wants notices of webhooks and API keys to be mailed to this address.\n\nIf you agree, give them this code: ${code}\n\nOtherwise do nothing: no other mail will come.\n`,
})
