import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `resources.revision`: how many changes a record had, its creation included. Existing records begin at 1. The former
 * release does not raise it when it changes a record.
 */
export const revisions: Migration = {
  name: '026-revisions',
  steps: [columns('resources', { revision: 'INT UNSIGNED NOT NULL DEFAULT 1' })],
}
