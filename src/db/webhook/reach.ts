import type { ReachFacts } from '../../domain/event/reach.ts'
import { WIDENED_MS } from '../../domain/recovery/segments.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import { ofTenantSql } from '../conditions.ts'
import { readRows } from '../connection/statements.ts'

/** listReach returns at most this many webhooks. */
const MOST_WEBHOOKS = 1_000

/** A webhook that existed when an event happened, or got the event later. `filter`: its present filter as JSON text. */
export type ReachRow = ReachFacts & { readonly webhookId: string; readonly filter: string | null }

/**
 * The tenant's webhooks that existed when the event happened, or got it later, newest first. Deleted ones are left out.
 * It returns at most the newest 1,000.
 */
export async function listReach(
  db: Db,
  tenant: Tenant,
  event: { readonly id: string; readonly type: string; readonly createdAt: Date },
): Promise<ReachRow[]> {
  const { id, type, createdAt } = event
  const rows = await readRows<Row>(db)`
    SELECT w.id, w.filter, w.filter_changed_at, d.id AS delivery_id,
           d.created_at AS delivery_created_at, d.recovery_base, p.starts_at, p.ends_at,
           t.webhook_id IS NOT NULL AS subscribes
      FROM webhooks w FORCE INDEX (webhooks_list)
      LEFT JOIN webhook_event_types t FORCE INDEX (PRIMARY) ON t.webhook_id = w.id AND t.event_type = ${type}
      LEFT JOIN deliveries d FORCE INDEX (deliveries_event)
        ON d.event_id = ${id} AND d.webhook_id = w.id AND d.resend_no = 0
      LEFT JOIN webhook_pauses p FORCE INDEX (PRIMARY)
        ON p.id = (SELECT q.id FROM webhook_pauses q FORCE INDEX (webhook_pauses_webhook)
                    WHERE q.webhook_id = w.id AND q.starts_at <= ${new Date(createdAt.getTime() + WIDENED_MS)}
                    ORDER BY q.starts_at DESC, q.id DESC LIMIT 1)
     WHERE ${ofTenantSql(tenant, 'w')} AND w.deleted_at IS NULL
       AND (w.created_at <= ${createdAt} OR d.id IS NOT NULL)
     ORDER BY w.created_at DESC, w.id DESC LIMIT ${MOST_WEBHOOKS}`
  return rows.map((row) => ({
    webhookId: row.id,
    filter: row.filter,
    filterChangedAt: row.filter_changed_at,
    delivery: deliveryOf(row),
    subscribes: Number(row.subscribes) === 1,
    pause: row.starts_at && { startsAt: row.starts_at, endsAt: row.ends_at },
  }))
}

const deliveryOf = ({ delivery_id: id, delivery_created_at: createdAt, recovery_base: base }: Row) =>
  id !== null && createdAt !== null ? { id, createdAt, isRecovered: base !== null } : null

type Row = {
  id: string
  filter: string | null
  filter_changed_at: Date | null
  delivery_id: string | null
  delivery_created_at: Date | null
  recovery_base: number | null
  starts_at: Date | null
  ends_at: Date | null
  subscribes: number | string
}
