import type { Migration } from './migration.ts'

/**
 * What direct first attempts need.
 *
 * - `deliveries.in_temporal`: whether a workflow may exist for the delivery. 1 for all rows of former releases and for
 *   those that their processes insert, because nobody knows.
 * - `outbox.is_direct`: whether a worker holds the lease of a `start` row to make the first attempt itself.
 * - `attempts.made_by`: who made the attempt; NULL for attempts of former releases.
 */
export const directAttempts: Migration = {
  name: '010-direct-attempts',
  up: [
    'ALTER TABLE deliveries ADD COLUMN in_temporal TINYINT UNSIGNED NOT NULL DEFAULT 1',
    'ALTER TABLE outbox ADD COLUMN is_direct TINYINT UNSIGNED NOT NULL DEFAULT 0',
    'ALTER TABLE attempts ADD COLUMN made_by VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NULL',
  ],
  down: ['attempts.made_by', 'outbox.is_direct', 'deliveries.in_temporal'],
}
