import type { Migration } from './migration.js'

/** Where a redirect pointed to, for each attempt. NULL for every other answer and for attempts made before. */
export const redirectLocations: Migration = {
  name: '006-redirect-locations',
  up: ['ALTER TABLE attempts ADD COLUMN location VARCHAR(2048) NULL'],
  down: ['attempts.location'],
}
