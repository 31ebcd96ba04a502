import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `notice_channels.name`: what people call the channel; NULL: its target stands for it. `version`: grows with each change by people,
 * so that neither another change nor a message that was on its way overwrites it.
 */
export const channelChanges: Migration = {
  name: '038-channel-changes',
  steps: [
    columns('notice_channels', { name: 'VARCHAR(255) NULL', version: 'INT UNSIGNED NOT NULL DEFAULT 1' }),
  ],
}
