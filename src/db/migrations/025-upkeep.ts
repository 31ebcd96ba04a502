import type { Migration } from './migration.ts'
import { indexes } from './steps.ts'

/**
 * - `api_keys_replacement`: finds the key that another one replaces. Without it, each page of keys reads all keys of
 *   the company. MySQL and MariaDB build it while the table is in use.
 * - `notices_turns`: the companies with waiting notices, and the oldest notices of each.
 */
export const upkeep: Migration = {
  name: '025-upkeep',
  steps: [
    indexes('api_keys', { add: { api_keys_replacement: '(rotated_to)' } }),
    indexes('notices', { add: { notices_turns: '(state, company_id, created_at, id)' } }),
  ],
}
