import { databaseNow } from '../../db/clock.ts'
import { readCounters, toWebhookCounters } from '../../db/webhook/counters.ts'
import { readHealths } from '../../db/webhook/health-rows.ts'
import { readStats, readStatsOf, readTenantSums } from '../../db/webhook/stats-sums.ts'
import { listWebhookIds } from '../../db/webhook/lists.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { healthState, type HealthState } from '../../domain/webhook/health.ts'
import {
  statisticsOf,
  windowStart,
  type AttemptStatistics,
  type StatsWindow,
} from '../../domain/webhook/stats.ts'
import type { Deps } from '../../deps/deps.ts'

/** The statistics of a webhook's attempts within a window. Workers write them some seconds after an attempt. */
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

/** The activity of a webhook: its health, how many deliveries have not arrived, and its attempts within a window. */
export type WebhookActivity = {
  readonly health: HealthState
  readonly waiting: number
  readonly statistics: AttemptStatistics
}

/** Maps the ids of webhooks to their activity. Deleted webhooks, and webhooks of other tenants, are left out. */
export async function readActivityByWebhook(
  { db }: Deps,
  tenant: Tenant,
  webhookIds: readonly string[],
  window: StatsWindow,
): Promise<ReadonlyMap<string, WebhookActivity>> {
  const now = await databaseNow(db)
  const own = new Set(await listWebhookIds(db, tenant))
  const wanted = webhookIds.filter((id) => own.has(id))
  const entries = await readStatsOf(db, tenant, wanted, windowStart(window, now))
  const healths = await readHealths(db, tenant, wanted)
  const counters = await readCounters(db, tenant, wanted)
  return new Map(
    wanted.map((id) => {
      const read = healths.get(id)
      const health = read === undefined ? 'healthy' : healthState(read, read.health)
      const { waiting } = toWebhookCounters(counters.get(id))
      return [id, { health, waiting, statistics: statisticsOf(window, now, entries.get(id) ?? []) }]
    }),
  )
}

/** The statistics of all attempts of the tenant. Attempts of deleted webhooks are left out. */
export async function readTenantStats(
  { db }: Deps,
  tenant: Tenant,
  window: StatsWindow,
): Promise<AttemptStatistics> {
  const now = await databaseNow(db)
  return statisticsOf(window, now, await readTenantSums(db, tenant, windowStart(window, now)))
}
