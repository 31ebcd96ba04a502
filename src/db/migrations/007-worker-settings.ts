import type { Migration } from './migration.js'

/**
 * What a worker runs with, as hashes, beside its heartbeat. NULL is a worker of a release that does not say it; such a
 * release neither names nor reads the column.
 */
export const workerSettings: Migration = {
  name: '007-worker-settings',
  up: [
    `ALTER TABLE workers
       ADD COLUMN settings_fingerprint VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL`,
  ],
  down: ['workers.settings_fingerprint'],
}
