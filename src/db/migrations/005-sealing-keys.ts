import type { Migration } from './migration.ts'
import { table } from './steps.ts'

/** A sealed test value for each key that has sealed values in the database. Only the right key opens it. */
export const sealingKeys: Migration = {
  name: '005-sealing-keys',
  steps: [
    table(
      'sealing_keys',
      `id VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
       canary_sealed VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       created_at DATETIME(3) NOT NULL`,
    ),
  ],
}
