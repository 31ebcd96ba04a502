import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import {
  changeChannel,
  deleteChannel,
  insertChannel,
  listChannelRows,
  lockChannelRow,
  toChannel,
  type ChannelRow,
} from '../../db/notice/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { ApiError, notFound } from '../../domain/errors.ts'
import { isId, newId } from '../../domain/ids.ts'
import {
  CHANNELS_PER_COMPANY,
  CODE_TRIES,
  DEFAULT_CHANNEL_PAUSE_MS,
  maskTarget,
  newChannelCode,
  type Channel,
  type ChannelKind,
} from '../../domain/notice/channel.ts'
import type { NoticeKind } from '../../domain/notice/notice.ts'
import { channelContext, seal, unseal } from '../../domain/sealing/sealing.ts'
import { isSameSecret, newWebhookSecret } from '../../domain/webhook/signing.ts'
import { checkWebhookUrl } from '../../domain/webhook/url.ts'
import { auditAs } from '../audit.ts'
import { requireCompany } from '../companies.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { queueMail } from '../mail/queue.ts'
import { requireRole } from '../user/authority.ts'

/** A new channel, and the secret of an `https` one. */
export type AddedChannel = { readonly channel: Channel; readonly secret: string | undefined }

type Wanted = {
  readonly kind: ChannelKind
  /** A mail address, or an HTTPS URL. */
  readonly target: string
  /** By default all. */
  readonly noticeKinds?: readonly NoticeKind[] | undefined
  readonly pauseMs?: number | undefined
}

/**
 * Adds a channel. That of a mail address waits for the code that is mailed to it; that of an `https` endpoint has a
 * signing secret, which is shown here alone.
 *
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR, CONFLICT for one channel too many; INSUFFICIENT_PERMISSIONS; INVALID_REQUEST,
 *   RATE_LIMITED of queueMail
 */
export async function addChannel(
  deps: Deps,
  companyId: string,
  actor: Actor,
  { kind, target, noticeKinds, pauseMs = DEFAULT_CHANNEL_PAUSE_MS }: Wanted,
  kept?: AnswerToKeep<AddedChannel>,
): Promise<AddedChannel> {
  const { db, config } = deps
  if (kind !== 'email') {
    const verdict = checkWebhookUrl(target, config.webhookAllowedNetworks)
    if (!verdict.ok) throw new ApiError('VALIDATION_ERROR', verdict.reason)
  }
  const id = newId('noticeChannel')
  const secret = { email: newChannelCode, slack: () => undefined, https: newWebhookSecret }[kind]()
  const sealed = (text: string, what: 'target' | 'secret') =>
    seal(config.secretsKeys, text, channelContext(companyId, id, what))
  return inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    // The lock lets two that come together see each other.
    await requireCompany({ db: trx }, companyId, { lock: true })
    if ((await listChannelRows(trx, companyId)).length >= CHANNELS_PER_COMPANY) {
      throw new ApiError(
        'CONFLICT',
        `A company has ${CHANNELS_PER_COMPANY} channels at most. Remove one first.`,
      )
    }
    if (kind === 'email')
      await queueMail(deps, trx, companyId, 'code', confirmationMail(target, secret ?? ''))
    const now = await databaseNow(trx)
    await insertChannel(trx, companyId, {
      id,
      kind,
      target: maskTarget(kind, target),
      target_sealed: sealed(target, 'target'),
      secret_sealed: secret === undefined ? null : sealed(secret, 'secret'),
      notice_kinds: noticeKinds === undefined ? null : JSON.stringify(noticeKinds),
      pause_ms: pauseMs,
      confirmed_at: kind === 'email' ? null : now,
      created_at: now,
    })
    await auditAs({ companyId }, actor)(trx, 'channel.create', id, now, {
      kind,
      target: maskTarget(kind, target),
    })
    const channel = toChannel(await lockOrRefuse(trx, companyId, id))
    const added = { channel, secret: kind === 'https' ? secret : undefined }
    await keepAnswer(trx, kept, added)
    return added
  })
}

const confirmationMail = (to: string, code: string) => ({
  to,
  subject: `${code} is the code for notices to this address`,
  text: `Somebody wants notices of webhooks and API keys to be mailed to this address.\n\nIf you agree, give them this code: ${code}\n\nOtherwise do nothing: no other mail will come.\n`,
})

/** The row of a channel, locked. @throws ApiError NOT_FOUND */
export async function lockOrRefuse(trx: Deps['db'], companyId: string, id: string): Promise<ChannelRow> {
  const row = isId('noticeChannel', id) ? await lockChannelRow(trx, companyId, id) : undefined
  if (!row) throw notFound('Channel')
  return row
}

/** The channels of a company, oldest first. */
export async function listChannels({ db }: Pick<Deps, 'db'>, companyId: string): Promise<Channel[]> {
  await requireCompany({ db }, companyId)
  return (await listChannelRows(db, companyId)).map(toChannel)
}

/**
 * Confirms a mail address by the code that was mailed to it. After CODE_TRIES wrong codes none is taken.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST, INSUFFICIENT_PERMISSIONS
 */
export async function confirmChannel(
  { db, config }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  code: string,
): Promise<Channel> {
  const isRight = await inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    const row = await lockOrRefuse(trx, companyId, id)
    if (row.confirmed_at !== null) return true
    if (row.wrong_codes >= CODE_TRIES || row.secret_sealed === null) {
      throw new ApiError('INVALID_REQUEST', 'Too many wrong codes: remove the channel and add it again.')
    }
    const wanted = unseal(config.secretsKeys, row.secret_sealed, channelContext(companyId, id, 'secret'))
    if (!isSameSecret(code.trim(), wanted)) {
      await changeChannel(trx, companyId, id, { wrong_codes: row.wrong_codes + 1 })
      return false
    }
    const now = await databaseNow(trx)
    await changeChannel(trx, companyId, id, { confirmed_at: now, secret_sealed: null })
    await auditAs({ companyId }, actor)(trx, 'channel.confirm', id, now)
    return true
  })
  if (!isRight) throw new ApiError('INVALID_REQUEST', 'This is not the code that was mailed to the address.')
  return toChannel(await inTransaction(db, (trx) => lockOrRefuse(trx, companyId, id)))
}

/** Removes a channel, with what waits for it. @throws ApiError NOT_FOUND, INSUFFICIENT_PERMISSIONS */
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
