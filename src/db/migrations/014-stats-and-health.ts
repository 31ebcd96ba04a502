import { table, type Migration } from './migration.ts'

/** How many attempts: by class of status, by the reason why there was no answer, by duration. */
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
 * - `webhook_stats_hours`: attempts of an hour. A worker adds to one of four shards. Hours become days after 8 days.
 * - `webhook_health.counted_…`: the failed attempts since the latest 2xx that count towards a deactivation.
 * - `webhook_counters.last_success_at`: NULL until the first success that a worker of this release records.
 */
export const statsAndHealth: Migration = {
  name: '014-stats-and-health',
  up: [
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
    `ALTER TABLE webhook_health
       ADD COLUMN last_error VARCHAR(40) CHARACTER SET ascii NULL,
       ADD COLUMN counted_since DATETIME(3) NULL,
       ADD COLUMN counted_at DATETIME(3) NULL,
       ADD COLUMN counted_failures INT UNSIGNED NOT NULL DEFAULT 0,
       ADD COLUMN counted_days INT UNSIGNED NOT NULL DEFAULT 0,
       ADD COLUMN warned_at DATETIME(3) NULL,
       ADD KEY webhook_health_counted (counted_since)`,
    'ALTER TABLE webhook_counters ADD COLUMN last_success_at DATETIME(3) NULL',
  ],
  down: [
    ...['webhook_stats_hours', 'webhook_stats_days', 'webhook_counters.last_success_at'],
    ...['last_error', 'counted_since', 'counted_at', 'counted_failures', 'counted_days', 'warned_at'].map(
      (column) => `webhook_health.${column}`,
    ),
  ],
}
