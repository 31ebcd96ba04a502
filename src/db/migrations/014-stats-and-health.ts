import type { Migration } from './migration.ts'
import { columns, indexes, table } from './steps.ts'

/** Numbers of attempts: by class of status, by the reason for no answer, and by duration. */
const FIGURES = [
  ...['class_2xx', 'class_3xx', 'class_4xx', 'class_5xx', 'class_none'],
  ...['dns_error', 'blocked_address', 'connect_error', 'connect_timeout'],
  ...['tls_error', 'connection_reset', 'response_timeout', 'protocol_error'],
  ...['within_20_ms', 'within_50_ms', 'within_100_ms', 'within_200_ms', 'within_500_ms', 'within_1000_ms'],
  ...['within_2000_ms', 'within_5000_ms', 'within_10000_ms', 'within_20000_ms', 'within_60000_ms'],
  'within_600000_ms',
]
  .map((name) => `${name} INT UNSIGNED NOT NULL DEFAULT 0`)
  .join(', ')

/**
 * Statistics of attempts, and what the service needs to deactivate webhooks whose endpoints fail for days.
 *
 * - `webhook_stats_hours`: attempts of an hour. A worker adds to one of four shards. After 8 days, hours are added to
 *   the rows of their days.
 * - `webhook_health.counted_…`: the failed attempts since the latest 2xx that count towards a deactivation.
 * - `webhook_counters.last_success_at`: NULL until the first success that a worker of this release records.
 */
export const statsAndHealth: Migration = {
  name: '014-stats-and-health',
  steps: [
    table(
      'webhook_stats_hours',
      `webhook_id {id} NOT NULL,
       starts_at DATETIME NOT NULL,
       shard TINYINT UNSIGNED NOT NULL,
       ${FIGURES},
       PRIMARY KEY (webhook_id, starts_at, shard),
       KEY webhook_stats_hours_age (starts_at)`,
    ),
    table(
      'webhook_stats_days',
      `webhook_id {id} NOT NULL,
       starts_at DATETIME NOT NULL,
       ${FIGURES},
       PRIMARY KEY (webhook_id, starts_at),
       KEY webhook_stats_days_age (starts_at)`,
    ),
    columns('webhook_health', {
      last_error: 'VARCHAR(40) CHARACTER SET ascii NULL',
      counted_since: 'DATETIME(3) NULL',
      counted_at: 'DATETIME(3) NULL',
      counted_failures: 'INT UNSIGNED NOT NULL DEFAULT 0',
      counted_days: 'INT UNSIGNED NOT NULL DEFAULT 0',
      warned_at: 'DATETIME(3) NULL',
    }),
    indexes('webhook_health', { add: { webhook_health_counted: '(counted_since)' } }),
    columns('webhook_counters', { last_success_at: 'DATETIME(3) NULL' }),
  ],
}
