import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * How many records of each family a tenant has. The rows of one tenant and family are shards. The number is their sum, so a
 * single shard may be negative.
 */
export const resourceCounters: Migration = {
  name: '008-resource-counters',
  steps: [
    table(
      'resource_counters',
      `company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       family VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       shard TINYINT UNSIGNED NOT NULL,
       records BIGINT NOT NULL DEFAULT 0,
       PRIMARY KEY (company_id, environment, family, shard)`,
    ),
  ],
}
