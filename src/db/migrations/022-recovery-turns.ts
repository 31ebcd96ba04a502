import type { Migration } from './migration.ts'
import { columns, indexes, rows } from './steps.ts'

/**
 * How recoveries take turns, and how they wait. `recoveries.state` may now be `queued`, while other recoveries of the
 * company run. The former release would ignore such a row, so `down` sets it to run.
 *
 * - `wakes_at`: the recovery waits until at most this many of its deliveries are under way. Then somebody wakes its
 *   workflow for the next round, and sets NULL in the same transaction. NULL: the recovery does not wait.
 * - `probes_before`: how many probes of the endpoint had failed when the recovery first met an open circuit breaker. NULL:
 * it has met none.
 */
export const recoveryTurns: Migration = {
  name: '022-recovery-turns',
  steps: [
    columns('recoveries', { wakes_at: 'INT UNSIGNED NULL', probes_before: 'INT UNSIGNED NULL' }),
    indexes('recoveries', { add: { recoveries_turn: '(company_id, state, created_at, id)' } }),
    rows('recoveries that are queued', {
      down: (db) => db('recoveries').where({ state: 'queued' }).update({ state: 'running' }),
    }),
  ],
}
