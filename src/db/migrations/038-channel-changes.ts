import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `notice_channels.name`: the name of the channel; NULL: its target is shown instead. `version`: grows with each change
 * by a user. So neither another change nor the worker that has sent a message overwrites it.
 */
export const channelChanges: Migration = {
  name: '038-channel-changes',
  steps: [
    columns('notice_channels', { name: 'VARCHAR(255) NULL', version: 'INT UNSIGNED NOT NULL DEFAULT 1' }),
  ],
}
