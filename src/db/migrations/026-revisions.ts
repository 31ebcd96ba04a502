import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `resources.revision`: how many changes a record had, its creation included. Existing records begin at 1. When the
 * former release changes a record, it leaves the revision as it was.
 */
export const revisions: Migration = {
  name: '026-revisions',
  steps: [columns('resources', { revision: 'INT UNSIGNED NOT NULL DEFAULT 1' })],
}
