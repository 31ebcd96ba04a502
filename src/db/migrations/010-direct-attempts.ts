import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * The columns for direct first attempts.
 *
 * - `deliveries.in_temporal`: whether a workflow may exist for the delivery. 1 for all rows that former releases
 *   insert, because former releases do not set it.
 * - `outbox.is_direct`: whether a worker has claimed a `start` row to make the attempt itself.
 * - `attempts.made_by`: who made the attempt; NULL for attempts of former releases.
 */
export const directAttempts: Migration = {
  name: '010-direct-attempts',
  steps: [
    columns('deliveries', { in_temporal: 'TINYINT UNSIGNED NOT NULL DEFAULT 1' }),
    columns('outbox', { is_direct: 'TINYINT UNSIGNED NOT NULL DEFAULT 0' }),
    columns('attempts', { made_by: 'VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NULL' }),
  ],
}
