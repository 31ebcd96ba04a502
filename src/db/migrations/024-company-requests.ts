import type { Migration } from './migration.ts'
import { indexes, table } from './steps.ts'

/**
 * `company_requests`: one row for each company that came near COMPANY_RATE_LIMIT_PER_MINUTE. `taken` is what the api
 * processes counted in the minute `minute` (minutes since 1970, by the database's clock). The next minute overwrites the
 * row. `api_key_usage` gets an index of days, by which the purge finds old rows.
 */
export const companyRequests: Migration = {
  name: '024-company-requests',
  steps: [
    table(
      'company_requests',
      `company_id {id} NOT NULL PRIMARY KEY,
       minute INT UNSIGNED NOT NULL,
       taken BIGINT UNSIGNED NOT NULL`,
    ),
    indexes('api_key_usage', { add: { api_key_usage_day: '(day)' } }),
  ],
}
