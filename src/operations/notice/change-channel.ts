import { databaseNow } from '../../db/clock.ts'
import { inTransaction, type Db } from '../../db/connection/connection.ts'
import {
  changeChannel,
  dueAfterPause,
  dueUnlessTested,
  toChannel,
  WORKS,
  type ChannelRow,
} from '../../db/notice/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { changeDetails } from '../../domain/audit/entry.ts'
import { checkName } from '../../domain/key/fields.ts'
import { snakeCased } from '../../domain/fields/case.ts'
import { maskTarget, newChannelCode, type Channel } from '../../domain/notice/channel.ts'
import type { NoticeKind } from '../../domain/notice/notice.ts'
import { seal, sealContext, unseal } from '../../domain/sealing/sealing.ts'
import { auditAs } from '../audit.ts'
import { lockCompanyOrRefuse } from '../companies.ts'
import { differencesOf } from '../differences.ts'
import { queueMail } from '../mail/queue.ts'
import { requireRole } from '../user/authority.ts'
import { checkTarget, lockOrRefuse, confirmationMail } from './channels.ts'

/** What people may change of a channel. */
type ChannelSettings = {
  readonly name: string | null
  /** The whole mail address or URL. */
  readonly target: string
  /** null: all kinds. */
  readonly noticeKinds: readonly NoticeKind[] | null
  readonly pauseMs: number
  readonly isActive: boolean
}

type ChannelChanges = Partial<ChannelSettings>

/**
 * Changes the given fields only. If the URL changes, notices that wait go to the new URL. They are dropped when the
 * channel is switched off. They are also dropped for a new mail address, because a code must confirm the address first.
 * An `https` channel keeps its secret.
 *
 * @param precondition called with the locked channel and what changes; throws to refuse the change
 * @throws ApiError NOT_FOUND, VALIDATION_ERROR, INSUFFICIENT_PERMISSIONS; INVALID_REQUEST and RATE_LIMITED as queueMail
 */
export async function updateChannel(
  deps: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  given: ChannelChanges,
  precondition: (channel: Channel, changes: ChannelChanges) => void = () => undefined,
): Promise<Channel> {
  const { db, config } = deps
  return inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    // Lock the company before the channel, as addChannel does, so that parallel changes cannot exceed the limit of mails.
    if (given.target !== undefined) await lockCompanyOrRefuse(trx, companyId)
    const row = await lockOrRefuse(trx, companyId, id)
    const former = unseal(config.secretsKeys, row.target_sealed, sealContext(companyId, id, 'target'))
    const before = settingsOf(row, former)
    const changes = differencesOf(before, given)
    if (changes.name) checkName(changes.name)
    precondition(toChannel(row), changes)
    if (Object.keys(changes).length === 0) return toChannel(row)
    const moved = changes.target === undefined ? {} : await move(deps, trx, row, changes.target)
    const columns = { ...moved, ...columnsOf(trx, changes), version: row.version + 1 }
    await changeChannel(trx, companyId, id, columns)
    const after = audited(row, changes)
    await auditAs({ companyId }, actor)(trx, 'channel.update', id, await databaseNow(trx), {
      fields: Object.keys(after),
      ...changeDetails(audited(row, before), after),
    })
    return toChannel(await lockOrRefuse(trx, companyId, id))
  })
}

const settingsOf = (row: ChannelRow, target: string): ChannelSettings => {
  const { name, noticeKinds, pauseMs } = toChannel(row)
  return { name, target, noticeKinds, pauseMs, isActive: row.off_at === null }
}

/** Settings as the audit shows them: the target masked. */
const audited = ({ kind }: ChannelRow, { target, pauseMs, ...others }: ChannelChanges) =>
  snakeCased({
    ...others,
    ...(pauseMs !== undefined && { pauseSeconds: pauseMs / 1000 }),
    ...(target !== undefined && { target: maskTarget(kind, target) }),
  })

/** The columns of all changes except a new target. With a new target, `move` decides when the notices that wait are due. */
function columnsOf(trx: Db, { name, noticeKinds, pauseMs, isActive, target }: ChannelChanges) {
  return {
    ...(name !== undefined && { name }),
    ...(noticeKinds !== undefined && { notice_kinds: noticeKinds && JSON.stringify(noticeKinds) }),
    ...(pauseMs !== undefined && { pause_ms: pauseMs }),
    ...(pauseMs !== undefined &&
      target === undefined && {
        due_at: trx.raw('IF(test_wanted = 1 OR pending IS NULL OR message IS NOT NULL, due_at, ?)', [
          dueAfterPause(trx, pauseMs),
        ]),
      }),
    ...(isActive === true && { ...WORKS, off_at: null }),
    ...(isActive === false && {
      ...WORKS,
      off_at: trx.raw('NOW(3)'),
      due_at: dueUnlessTested(trx, null),
      pending: null,
      message: null,
    }),
  }
}

/** The columns of a new target. If the channel is off because its old target failed for days, it is switched on. */
async function move(deps: Deps, trx: Db, row: ChannelRow, target: string) {
  const { id, kind, company_id: companyId } = row
  const { secretsKeys } = deps.config
  checkTarget(deps.config, kind, target)
  const moved = {
    ...WORKS,
    // Nothing has been sent to the new target yet.
    last_sent_at: null,
    test_ok: null,
    target: maskTarget(kind, target),
    target_sealed: seal(secretsKeys, target, sealContext(companyId, id, 'target')),
    ...(row.failing_since !== null && { off_at: null }),
  }
  if (kind !== 'email')
    return { ...moved, due_at: trx.raw('IF(message IS NULL AND pending IS NULL, due_at, NOW(3))') }
  const code = newChannelCode()
  await queueMail(deps, trx, companyId, 'code', confirmationMail(target, code))
  return {
    ...moved,
    secret_sealed: seal(secretsKeys, code, sealContext(companyId, id, 'secret')),
    confirmed_at: null,
    wrong_codes: 0,
    pending: null,
    message: null,
    due_at: null,
    test_wanted: 0,
  }
}
