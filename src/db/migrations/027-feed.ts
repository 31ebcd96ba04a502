import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * The feed of events, in commit order. It begins with this migration: earlier events have no place in it.
 *
 * - `feed_heads`: the place of a tenant's latest event. Places count from 1, without gaps. A publish locks the row until
 *   its commit. So nobody gets a later place and commits earlier.
 * - `feed`: up to 50 events that were published together, each as `id type`, separated by commas. `position` is the place
 *   of the last event.
 * - `feed_listeners`: the apis at which clients wait for events, with the addresses that a publish rings.
 */
export const feed: Migration = {
  name: '027-feed',
  steps: [
    table(
      'feed_heads',
      `company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       position BIGINT UNSIGNED NOT NULL,
       PRIMARY KEY (company_id, environment)`,
    ),
    table(
      'feed',
      `company_id {id} NOT NULL,
       environment {environment} NOT NULL,
       position BIGINT UNSIGNED NOT NULL,
       entries TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       created_at DATETIME(3) NOT NULL,
       PRIMARY KEY (company_id, environment, position)`,
    ),
    table(
      'feed_listeners',
      `address VARCHAR(260) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
       heartbeat_at DATETIME(3) NOT NULL`,
    ),
  ],
}
