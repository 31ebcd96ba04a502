import type { Migration } from './migration.ts'
import { columns, indexes, table } from './steps.ts'

/**
 * Columns and a table for searches.
 *
 * - `events.record_id`: the record that an event is about, '' for none. Null: a process of a former release wrote the event, so
 *   only its body names the record. `events_record` has the events of a record in the order of lists.
 * - `saved_filters`: filters of the console's lists that a user saved under a name. `query` is the query of the page's address.
 */
export const search: Migration = {
  name: '034-search',
  steps: [
    columns('events', { record_id: 'VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL' }),
    indexes('events', { add: { events_record: '(company_id, environment, record_id, created_at, id)' } }),
    table(
      'saved_filters',
      `id {id} NOT NULL PRIMARY KEY,
       company_id {id} NOT NULL,
       user_id {id} NOT NULL,
       page VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       name VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
       query VARCHAR(1000) NOT NULL,
       created_at DATETIME(3) NOT NULL,
       UNIQUE KEY saved_filters_name (company_id, user_id, page, name)`,
    ),
  ],
}
