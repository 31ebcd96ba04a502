import type { Migration } from './migration.ts'
import { indexes } from './steps.ts'

/**
 * `resources_by_id`: the records of a family in the order of their ids, for clients that copy them. MySQL and MariaDB
 * build it without blocking writes.
 */
export const recordsById: Migration = {
  name: '029-records-by-id',
  steps: [indexes('resources', { add: { resources_by_id: '(company_id, environment, family, id)' } })],
}
