import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/** The settings of a worker, as hashes, beside its heartbeat. NULL if the worker runs a release that does not know the column. */
export const workerSettings: Migration = {
  name: '007-worker-settings',
  steps: [
    columns('workers', {
      settings_fingerprint: 'VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL',
    }),
  ],
}
