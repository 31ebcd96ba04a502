import { databaseNow } from '../../db/clock.ts'
import { readStats, readStatsOf, readTenantSums } from '../../db/webhook/stats-sums.ts'
import { listWebhookIds } from '../../db/webhook/lists.ts'
import type { Tenant } from '../../domain/tenant.ts'
import {
  statisticsOf,
  windowStart,
  type AttemptStatistics,
  type StatsWindow,
} from '../../domain/webhook/stats-window.ts'
import type { Deps } from '../../deps/deps.ts'

/** What happened to the attempts of a webhook within a window; workers write it some seconds after an attempt. */
export async function readWebhookStats(
  { db }: Deps,
  tenant: Tenant,
  webhookId: string,
  window: StatsWindow,
): Promise<AttemptStatistics> {
  const now = await databaseNow(db)
  const entries = await readStats(db, tenant, webhookId, windowStart(window, now))
  return statisticsOf(window, now, entries)
}

/** Like readWebhookStats, for several webhooks by their ids. Webhooks of others and deleted ones are left out. */
export async function readStatsByWebhook(
  { db }: Deps,
  tenant: Tenant,
  webhookIds: readonly string[],
  window: StatsWindow,
): Promise<ReadonlyMap<string, AttemptStatistics>> {
  const now = await databaseNow(db)
  const own = new Set(await listWebhookIds(db, tenant))
  const wanted = webhookIds.filter((id) => own.has(id))
  const entries = await readStatsOf(db, tenant, wanted, windowStart(window, now))
  return new Map(wanted.map((id) => [id, statisticsOf(window, now, entries.get(id) ?? [])]))
}

/** What happened to the attempts of all webhooks of the tenant that are not deleted. */
export async function readTenantStats(
  { db }: Deps,
  tenant: Tenant,
  window: StatsWindow,
): Promise<AttemptStatistics> {
  const now = await databaseNow(db)
  return statisticsOf(window, now, await readTenantSums(db, tenant, windowStart(window, now)))
}
