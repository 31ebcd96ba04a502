import type { Migration } from './migration.ts'

/**
 * - `api_keys_replacement`: finds the key that another one replaces. Without it each page of keys reads all keys of its company.
 *   Servers build it while the table is in use.
 * - `notices_turns`: the companies whose notices wait, and the oldest notices of each.
 */
export const upkeep: Migration = {
  name: '025-upkeep',
  up: [
    'ALTER TABLE api_keys ADD KEY api_keys_replacement (rotated_to)',
    'ALTER TABLE notices ADD KEY notices_turns (state, company_id, created_at, id)',
  ],
  down: ['ALTER TABLE notices DROP KEY notices_turns', 'ALTER TABLE api_keys DROP KEY api_keys_replacement'],
}
