import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/**
 * The feed of events, in commit order. It begins with this migration: events of before have no place in it.
 *
 * - `feed_heads`: the place of a tenant's latest event; places count from 1, without gaps. A publish locks the row until its
 *   commit, so that nobody gets a later place and commits before.
 * - `feed`: up to 50 events that were published together, each as `id type`, with commas between. `position` is the place of the last one.
 * - `feed_listeners`: the apis where a client waits for events, with the address that is rung.
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
