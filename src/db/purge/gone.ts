import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { WITHOUT_SECRETS } from '../webhook/webhooks.ts'

// Removes what deleted webhooks left, and old entries of the audit. Each function removes a page and returns the number
// of removed rows. If that is less than the limit, none is left.

/** The tables with rows of a webhook that no other purge removes. */
export const OF_WEBHOOK = [
  'webhook_counters',
  'webhook_stats_hours',
  'webhook_stats_days',
  'webhook_pauses',
  'webhook_health',
  'webhook_event_types',
]

/**
 * Removes webhooks that were deleted before the time and have no deliveries left, with their counters and figures. It
 * reads only webhooks that are deleted and not yet removed.
 */
export async function purgeWebhooks(db: SystemDb, deletedBefore: Date, limit: number): Promise<number> {
  return inTransaction(db, async (trx) => {
    const ids = await trx('webhooks as w')
      .where('w.deleted_at', '<', deletedBefore)
      .whereNotExists(trx('deliveries as d').whereRaw('d.webhook_id = w.id').select(trx.raw('1')))
      .limit(limit)
      .pluck<string[]>('w.id')
    if (ids.length === 0) return 0
    for (const table of OF_WEBHOOK) await trx(table).whereIn('webhook_id', ids).delete()
    await trx('webhooks').whereIn('id', ids).delete()
    return ids.length
  })
}

/**
 * Removes entries of the audit that are older than the time. Their ids are in the order of time, so it reads a page from the
 * first entry on.
 */
export async function purgeAudit(db: SystemDb, before: Date, limit: number): Promise<number> {
  const oldest = await db('audit').orderBy('id').limit(limit).select<{ id: number; at: Date }[]>('id', 'at')
  const old = oldest.filter(({ at }) => at < before).map(({ id }) => id)
  return old.length === 0 ? 0 : db('audit').whereIn('id', old).delete()
}

/**
 * Removes the secrets and subscriptions that a process of a former release left when it deleted webhooks. If there are
 * none, it reads every webhook.
 *
 * @returns how many webhooks had them; fewer than the limit: none is left
 */
export async function forgetDeletedWebhooks(db: SystemDb, limit: number): Promise<number> {
  const rows: { id: string }[] = await db('webhooks')
    .whereNotNull('deleted_at')
    .whereNot('secret_sealed', '')
    .limit(limit)
    .select('id')
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await inTransaction(db, async (trx) => {
    await trx('webhooks').whereIn('id', ids).update(WITHOUT_SECRETS)
    await trx('webhook_event_types').whereIn('webhook_id', ids).delete()
  })
  return ids.length
}

/**
 * Removes the health of deleted webhooks. A former release left it, and attempts that were under way may have written it.
 *
 * @returns how many rows it removed; fewer than the limit: none is left
 */
export async function purgeHealth(db: SystemDb, limit: number): Promise<number> {
  const deleted = db('webhooks').whereNotNull('deleted_at').select('id')
  return db('webhook_health').whereIn('webhook_id', deleted).limit(limit).delete()
}
