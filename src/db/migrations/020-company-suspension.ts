import type { Migration } from './migration.ts'
import { columns, table } from './steps.ts'

/**
 * Suspended companies, and how many events companies publish.
 *
 * - `companies.suspended_at`: since when the company is suspended; NULL: it is not. MySQL and MariaDB add the column
 *   without copying rows.
 * - `publish_quotas`: one row for each company that published while PUBLISH_PER_MINUTE was set. `taken` is what the api
 *   processes took of the quota for the minute that begins at `minute_at`. The next minute overwrites the row.
 */
export const companySuspension: Migration = {
  name: '020-company-suspension',
  steps: [
    columns('companies', { suspended_at: 'DATETIME(3) NULL' }),
    table(
      'publish_quotas',
      `company_id {id} NOT NULL PRIMARY KEY,
       minute_at DATETIME NOT NULL,
       taken INT UNSIGNED NOT NULL`,
    ),
  ],
}
