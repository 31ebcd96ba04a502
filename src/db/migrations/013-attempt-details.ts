import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * Details of each attempt for the owner of the endpoint: the times of its steps, in milliseconds, and the headers of the
 * answer as storedHeaders makes them. All NULL for attempts of former releases.
 */
export const attemptDetails: Migration = {
  name: '013-attempt-details',
  steps: [
    columns('attempts', {
      dns_ms: 'INT UNSIGNED NULL',
      connect_ms: 'INT UNSIGNED NULL',
      tls_ms: 'INT UNSIGNED NULL',
      first_byte_ms: 'INT UNSIGNED NULL',
      response_headers: 'VARCHAR(2048) NULL',
    }),
  ],
}
