import { table, type Migration } from './migration.ts'

/** A canary for each key that has sealed values in the database: only the right key opens it. */
export const sealingKeys: Migration = {
  name: '005-sealing-keys',
  up: [
    table(
      'sealing_keys',
      `id VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
       canary_sealed VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
       created_at DATETIME(3) NOT NULL`,
    ),
  ],
  down: ['sealing_keys'],
}
