import { databaseNow } from '../../db/clock.js'
import { readStats } from '../../db/webhook/stats.js'
import type { Tenant } from '../../domain/tenant.js'
import {
  statisticsOf,
  windowStart,
  type AttemptStatistics,
  type StatsWindow,
} from '../../domain/webhook/stats-window.js'
import type { Deps } from '../../process/deps.js'

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
