import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `resources.revision`: how many changes a record had, its creation included. Records that are there already begin at 1. The
 * former release leaves it as it is when it changes a record.
 */
export const revisions: Migration = {
  name: '026-revisions',
  steps: [columns('resources', { revision: 'INT UNSIGNED NOT NULL DEFAULT 1' })],
}
