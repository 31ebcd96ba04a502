import type { Migration } from './migration.ts'

/**
 * What an owner needs to see of each attempt: how long its steps took, in milliseconds, and the headers of the answer
 * as storedHeaders makes them. All NULL for attempts of former releases.
 */
export const attemptDetails: Migration = {
  name: '013-attempt-details',
  up: [
    `ALTER TABLE attempts
       ADD COLUMN dns_ms INT UNSIGNED NULL,
       ADD COLUMN connect_ms INT UNSIGNED NULL,
       ADD COLUMN tls_ms INT UNSIGNED NULL,
       ADD COLUMN first_byte_ms INT UNSIGNED NULL,
       ADD COLUMN response_headers VARCHAR(2048) NULL`,
  ],
  down: [
    'attempts.response_headers',
    'attempts.first_byte_ms',
    'attempts.tls_ms',
    'attempts.connect_ms',
    'attempts.dns_ms',
  ],
}
