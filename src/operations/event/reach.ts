import { listReach, type ReachRow } from '../../db/webhook/reach.ts'
import { reachReason, type ReachReason } from '../../domain/event/reach.ts'
import type { StoredEvent } from '../../domain/event/event.ts'
import { isTestEventId } from '../../domain/ids.ts'
import { DAY_MS } from '../../domain/instants.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { JudgedEvent, Judging } from '../../domain/webhook/filter/judging.ts'
import type { Deps } from '../../deps/deps.ts'

/** Why an event was sent to a webhook or not. */
export type Reach = {
  readonly webhookId: string
  readonly deliveryId: string | null
  readonly reason: ReachReason
}

/**
 * Tells of each webhook that was there when the event happened or got it later, and still is, why it got the event or not; 1,000
 * at most. Of an event that is older than the retention, and of a test event, it tells only where it went: deliveries may have been purged.
 */
export async function readReach(
  { db, clock, config, filters }: Pick<Deps, 'db' | 'clock' | 'config' | 'filters'>,
  tenant: Tenant,
  event: StoredEvent,
): Promise<Reach[]> {
  const rows = await listReach(db, tenant, event)
  const ageMs = clock().getTime() - event.createdAt.getTime()
  const isKnown = !isTestEventId(event.id) && ageMs < config.retentionDays * DAY_MS
  const judged = new JudgedEvent(event.body)
  const judging = new Judging()
  const reach: Reach[] = []
  for (const row of isKnown ? rows : rows.filter(({ delivery }) => delivery !== null)) {
    const verdict = isJudged(row)
      ? await judging.judge(filters.get(tenant.companyId, row.filter), judged)
      : null
    const { webhookId, delivery } = row
    reach.push({
      webhookId,
      deliveryId: delivery?.id ?? null,
      reason: reachReason(row, verdict, event.createdAt),
    })
  }
  return reach
}

/** A filter is asked only where nothing else decides. */
const isJudged = (row: ReachRow): row is ReachRow & { readonly filter: string } =>
  row.delivery === null && row.subscribes && row.filter !== null
