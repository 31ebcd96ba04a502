import type { Migration } from './migration.ts'

/** The target of a redirect, for each attempt. NULL for every other answer, and for attempts of former releases. */
export const redirectLocations: Migration = {
  name: '006-redirect-locations',
  up: ['ALTER TABLE attempts ADD COLUMN location VARCHAR(2048) NULL'],
  down: ['attempts.location'],
}
