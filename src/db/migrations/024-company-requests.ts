import { table, type Migration } from './migration.ts'

/**
 * `company_requests`: one row per company that came near COMPANY_RATE_LIMIT_PER_MINUTE. `taken` is what the api processes
 * counted in the minute `minute` (minutes since 1970, by the database's clock). The next minute writes over it.
 * `api_key_usage` gets an index of days, by which the purge finds old ones.
 */
export const companyRequests: Migration = {
  name: '024-company-requests',
  up: [
    table(
      'company_requests',
      `company_id {id} NOT NULL PRIMARY KEY,
       minute INT UNSIGNED NOT NULL,
       taken BIGINT UNSIGNED NOT NULL`,
    ),
    'ALTER TABLE api_key_usage ADD KEY api_key_usage_day (day)',
  ],
  down: ['ALTER TABLE api_key_usage DROP KEY api_key_usage_day', 'company_requests'],
}
