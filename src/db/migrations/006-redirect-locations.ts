import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/** The target of a redirect, for each attempt. NULL for all other answers, and for attempts of former releases. */
export const redirectLocations: Migration = {
  name: '006-redirect-locations',
  steps: [columns('attempts', { location: 'VARCHAR(2048) NULL' })],
}
