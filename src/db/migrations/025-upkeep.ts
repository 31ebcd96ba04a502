import type { Migration } from './migration.ts'

/**
 * - `api_keys_replacement`: finds the key that another one replaces. Without it each page of keys reads all keys of its company.
 *   Servers build it while the table is in use.
 */
export const upkeep: Migration = {
  name: '025-upkeep',
  up: ['ALTER TABLE api_keys ADD KEY api_keys_replacement (rotated_to)'],
  down: ['ALTER TABLE api_keys DROP KEY api_keys_replacement'],
}
