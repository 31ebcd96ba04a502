import type { Migration } from './migration.ts'
import { columns, table } from './steps.ts'

const COUNT = 'INT UNSIGNED NOT NULL DEFAULT 0'

/**
 * The use of keys. `api_key_usage` counts responses by the class of their status. `api_key_recent` has one row for each key
 * with its latest endpoints and addresses and the requests of the last hour. `recent` is JSON of limited size. `day` is the
 * UTC day of the latest request, by which the purge finds old rows.
 */
export const keyUse: Migration = {
  name: '037-key-use',
  steps: [
    columns('api_key_usage', { responses_2xx: COUNT, responses_4xx: COUNT, responses_5xx: COUNT }),
    table(
      'api_key_recent',
      `key_id {id} NOT NULL PRIMARY KEY,
       day DATE NOT NULL,
       recent TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       KEY api_key_recent_day (day)`,
    ),
  ],
}
