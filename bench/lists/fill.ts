import { formatDuration } from '../../scripts/lib/progress.ts'
import { timed } from '../support/figures.ts'
import { deliveriesOf, fillRows, idOf, insertInto, timedIdOf } from '../support/fill.ts'

/** Age of the oldest delivery, in days. */
export const DAYS = 60
/** The number of notices: 70 webhooks make as many if they fail in every hour of these days. */
const NOTICES = 100_000
/** The first webhook gets this many of 10 deliveries. The others share the rest. */
const BUSY_SHARE = 6
/** Of 50 deliveries 46 succeeded, 2 failed, one waits for its retry and one is parked. */
const STATUS = `ELT(1 + LEAST(4, FLOOR(n / 10) % 50), 'retrying', 'pending', 'failed', 'failed', 'success')`
const isStatus = (...statuses: string[]) => `${STATUS} IN ('${statuses.join("', '")}')`

type Options = { readonly companyId: string; readonly webhookIds: readonly string[]; readonly count: number }

/**
 * Fills in closed and open deliveries, each with an event of its own and, unless it is pending, an attempt. They come in
 * the order in which 60 days would have made them, with ids that begin with their times.
 *
 * @param options the first webhook is the busy one
 */
export async function fillHistory(
  databaseUrl: string,
  { companyId, webhookIds, count }: Options,
): Promise<void> {
  const [busy, ...others] = webhookIds
  const receivers = Array.from({ length: 10 }, (_, n) => (n < BUSY_SHARE ? busy : others[n % others.length]))
  const beginning = `FROM_UNIXTIME(${Math.floor(Date.now() / 1000) - DAYS * 86_400})`
  const atStep = (of: number) =>
    `${beginning} + INTERVAL n * ${Math.floor((DAYS * 86_400e6) / of)} MICROSECOND`
  const createdAt = atStep(count)
  const later = `IF(${isStatus('retrying')}, NOW(3) + INTERVAL 1 DAY, NULL)`
  const onlyIf = (...statuses: string[]) => `IF(${isStatus(...statuses)}, ${createdAt}, NULL)`
  const closed = { delivered_at: onlyIf('success'), closed_at: onlyIf('success', 'failed') }
  const waiting = { next_retry_at: later, wake_at: later, parked_at: onlyIf('pending') }
  const code = `IF(${isStatus('success')}, 200, 500)`
  const ids = (prefix: string) => timedIdOf(prefix, createdAt)
  const attempt = { delivery_id: ids('del'), number: '1', started_at: createdAt, duration_ms: '25' }
  const answer = { response_code: code, response_body: "'ok'", '`trigger`': "'scheduled'" }
  const noticedAt = atStep(NOTICES)
  const notice = {
    id: idOf('ntc'),
    company_id: `'${companyId}'`,
    environment: "'live'",
    kind: "IF(n % 10, 'deliveries_failed', 'webhook_failing')",
    target_id: "CONCAT('whk_', n)",
    hour: noticedAt,
    total: '7',
    state: "'done'",
    created_at: noticedAt,
  }
  const tookMs = await timed(() =>
    fillRows(databaseUrl, [
      ...deliveriesOf(count, {
        companyId: `'${companyId}'`,
        webhookId: `ELT(1 + n % 10, ${receivers.map((id) => `'${id}'`).join(', ')})`,
        createdAt,
        ids,
        status: STATUS,
        body: `CONCAT('{"id":"', ${ids('evt')}, '","event":"contact.created","data":{"name":"', REPEAT('a', 200), '"}}')`,
        columns: {
          ...closed,
          ...waiting,
          attempts: `NOT ${isStatus('pending')}`,
          response_code: `IF(${isStatus('pending')}, NULL, ${code})`,
          response_body: "'ok'",
          request_duration_ms: '25',
        },
      }),
      `${insertInto('attempts', count, { ...attempt, ...answer })} AND NOT ${isStatus('pending')}`,
      `INSERT INTO webhook_counters (webhook_id, shard, pending, retrying, success, failed)
       SELECT webhook_id, 0, SUM(status = 'pending'), SUM(status = 'retrying'), SUM(status = 'success'), SUM(status = 'failed')
       FROM deliveries GROUP BY webhook_id`,
      insertInto('notices', NOTICES, notice),
      'ANALYZE TABLE events, deliveries, attempts, notices',
    ]),
  )
  console.log(`${count} deliveries filled in ${formatDuration(tookMs)}`)
}
