import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * Who published an event, and how. `published_by`: the id of the key or the user, or `cli`. Both columns are NULL for
 * earlier events, and for events that the former release publishes. Together they take at most 43 bytes of a row.
 */
export const publishers: Migration = {
  name: '030-publishers',
  steps: [
    columns('events', {
      published_by: '{id} NULL',
      published_via: "ENUM('event', 'record', 'test') CHARACTER SET ascii COLLATE ascii_bin NULL",
    }),
  ],
}
