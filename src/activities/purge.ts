import { databaseNow } from '../db/clock.ts'
import { foldHours } from '../db/webhook/hourly-stats.ts'
import { withBreath } from '../db/connection/stopped.ts'
import {
  purgeDeliveries,
  purgeEvents,
  purgeFeeds,
  purgeNotices,
  purgeOlder,
  purgeRateLimits,
} from '../db/purge/history.ts'
import { forgetDeletedWebhooks, purgeAudit, purgeHealth, purgeWebhooks } from '../db/purge/gone.ts'
import { correctTotals, findNextCompany } from '../db/event/resource-rows.ts'
import { purgeSessions } from '../db/user/sessions.ts'
import { DAY_MS, HOUR_MS } from '../domain/instants.ts'
import { LINK_LIFETIME_MS } from '../domain/user/access-link.ts'
import { KEEP_USAGE_MS } from '../domain/key/usage.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { PurgeReport } from '../workflows/contract.ts'

/** Rows per statement. The number is small, so that locks are short. */
const BATCH = 500
/** Longest time of one activity. The workflow calls the activity again while rows are left to remove. */
const ROUND_MS = 20_000
/** Feed rows are removed this much before their events: an event gets its place in the feed after it is stored. */
const FEED_AHEAD_MS = 60_000
/** After this time, hours of statistics are added up to days. Every window that needs hours is shorter. */
const KEEP_HOURS_MS = 8 * DAY_MS
/** Days of statistics are kept for this long. The longest window is shorter: 30 days. */
const KEEP_DAYS_MS = 35 * DAY_MS

/** Time for checking totals in an hourly run. It is short because each check reads all index entries of a company. */
const CHECK_TOTALS_MS = 5_000

/**
 * Makes the activity that removes rows older than RETENTION_DAYS, and adds up old hours of statistics to days. It uses
 * the database's clock, because a worker with a clock that is a month ahead would remove everything. It also cleans up
 * after processes of an earlier release: it corrects wrong totals, and removes secrets of deleted webhooks.
 */
export function createPurge({ config, db, log }: SystemDeps) {
  /** The company whose totals were checked last. The next run continues with the company after it. */
  let checked = ''

  async function checkTotals(): Promise<void> {
    const untilMs = performance.now() + CHECK_TOTALS_MS
    while (performance.now() < untilMs) {
      const companyId = await findNextCompany(db, checked)
      checked = companyId ?? ''
      if (companyId === undefined) return
      const corrected = await withBreath(() => correctTotals(db, companyId))
      const ids = { company_id: companyId, totals: corrected }
      if (corrected > 0) log.warn(ids, 'totals of records were wrong and are corrected')
    }
  }

  return async (): Promise<PurgeReport> => {
    const untilMs = performance.now() + ROUND_MS
    const nowMs = (await databaseNow(db)).getTime()
    const before = new Date(nowMs - config.retentionDays * DAY_MS)
    // Even with a retention of a day or two, a link must not be removed while it is still valid.
    const linksBefore = new Date(Math.min(before.getTime(), nowMs - LINK_LIFETIME_MS))
    const aDayAgo = new Date(nowMs - DAY_MS)
    const anHourAgo = new Date(nowMs - HOUR_MS)
    const removed = await repeat(untilMs, () => purgeDeliveries(db, before, BATCH))
    // Remove feed rows before events, so that no reader learns of an event that is already removed.
    await repeat(untilMs, () => purgeFeeds(db, new Date(before.getTime() + FEED_AHEAD_MS), BATCH))
    await repeat(untilMs, () => purgeEvents(db, before, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'idempotency', aDayAgo, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'mails', aDayAgo, BATCH))
    await repeat(untilMs, () => purgeSessions(db, new Date(nowMs), BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'access_links', linksBefore, BATCH))
    await repeat(untilMs, () => purgeRateLimits(db, anHourAgo, BATCH))
    await repeat(untilMs, () => purgeNotices(db, before, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'recoveries', before, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'webhook_pauses', before, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'notice_batches', before, BATCH))
    await repeat(untilMs, () => forgetDeletedWebhooks(db, BATCH))
    await repeat(untilMs, () => purgeHealth(db, BATCH))
    await repeat(untilMs, () => purgeWebhooks(db, before, BATCH))
    const auditBefore = new Date(nowMs - config.auditRetentionDays * DAY_MS)
    await repeat(untilMs, () => purgeAudit(db, auditBefore, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'users', auditBefore, BATCH))
    const usageBefore = new Date(nowMs - KEEP_USAGE_MS)
    await repeat(untilMs, () => purgeOlder(db, 'api_key_usage', usageBefore, BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'api_key_recent', usageBefore, BATCH))
    await repeat(untilMs, () => foldHours(db, new Date(nowMs - KEEP_HOURS_MS), BATCH))
    await repeat(untilMs, () => purgeOlder(db, 'webhook_stats_days', new Date(nowMs - KEEP_DAYS_MS), BATCH))
    log.info({ deliveries: removed }, 'history older than the retention is removed')
    const isDone = performance.now() < untilMs
    if (isDone) await checkTotals()
    return { isDone }
  }
}

/**
 * Runs batches until a batch is not full or the time is over. An undefined count means a full batch.
 *
 * @returns the sum of the counts
 */
async function repeat(untilMs: number, batch: () => Promise<number | undefined>): Promise<number> {
  let sum = 0
  for (;;) {
    const count = await withBreath(batch)
    sum += count ?? 0
    if ((count ?? BATCH) < BATCH || performance.now() >= untilMs) return sum
  }
}
