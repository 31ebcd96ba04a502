import { SYSTEM } from '../../domain/actor.ts'
import { DEACTIVATION_NOTICES, type NoticeFacts } from '../../domain/notice/notice.ts'
import type { DeactivatedReason } from '../../domain/webhook/webhook.ts'
import { auditIfChanged } from '../audit.ts'
import type { SystemDb } from '../connection/connection.ts'
import {
  foundBy,
  NOTHING,
  rowsOf,
  run,
  runIn,
  sql,
  type Run,
  type Statement,
} from '../connection/statements.ts'
import { lockHealth } from './endpoint-health.ts'
import { pauseIfChanged } from './pauses.ts'
import { noticeIfWritten } from '../notice/new-notices.ts'

type Deactivation = {
  readonly webhookId: string
  readonly companyId: string
  readonly reason: DeactivatedReason
  /** If given, a webhook of another version is not changed. */
  readonly version?: number
  /** What the audit shows in addition to the reason. */
  readonly details: Readonly<Record<string, unknown>>
  /** The values for the notice. */
  readonly facts?: Partial<NoticeFacts>
}

/**
 * The statements by which the service deactivates a webhook: the change, a row of webhook_pauses, the audit entry and the notice.
 * No other statement may stand between them, because each uses ROW_COUNT() to see whether the one before it wrote a row.
 */
export const deactivation = (
  { webhookId, companyId, reason, version, details, facts = {} }: Deactivation,
  now: Date,
): [change: Statement, pause: Statement, audit: Statement, notice: Statement] => [
  sql`
    UPDATE webhooks SET is_active = 0, deactivated_reason = ${reason}, updated_at = ${now}, version = version + 1
     WHERE id = ${webhookId} AND is_active = 1 AND deleted_at IS NULL
           ${version === undefined ? NOTHING : sql`AND version = ${version}`}`,
  pauseIfChanged(webhookId, now),
  auditIfChanged({
    companyId,
    at: now,
    actor: SYSTEM,
    action: 'webhook.deactivate',
    targetId: webhookId,
    details: { reason, ...details },
  }),
  noticeIfWritten({ kind: DEACTIVATION_NOTICES[reason], webhookId, now }, facts),
]

/**
 * Locks webhooks that the transaction may deactivate. Call it before you lock their health. Every change of a webhook
 * locks in this order.
 *
 * @returns the webhooks that another transaction locks. It does not wait for them
 */
export async function lockToDeactivate(
  run: Run<SystemDb>,
  webhookIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (webhookIds.length === 0) return new Set()
  const [locked, there] = await run([
    sql`SELECT id FROM webhooks WHERE id IN (${webhookIds}) ORDER BY id FOR UPDATE SKIP LOCKED`,
    sql`SELECT id FROM webhooks WHERE id IN (${webhookIds})`,
  ])
  const own = new Set(rowsOf<{ id: string }>(locked).map(({ id }) => id))
  return new Set(rowsOf<{ id: string }>(there).flatMap(({ id }) => (own.has(id) ? [] : [id])))
}

/**
 * Locks a webhook and its health, in order to deactivate the webhook.
 *
 * @returns false, without waiting, if another transaction locks one of them. A later round finds the webhook again
 */
export async function lockIfFree(trx: SystemDb, webhookId: string): Promise<boolean> {
  if ((await lockToDeactivate(runIn(trx), [webhookId])).size > 0) return false
  return (await lockHealth(runIn(trx), [webhookId])).lockedElsewhere.size === 0
}

/** Deactivates a webhook in the caller's transaction. @returns whether it was active */
export async function deactivate(trx: SystemDb, what: Deactivation, now: Date): Promise<boolean> {
  const [change, ...others] = deactivation(what, now)
  const changed = foundBy(await run(trx, change))
  for (const statement of others) await run(trx, statement)
  return changed > 0
}
