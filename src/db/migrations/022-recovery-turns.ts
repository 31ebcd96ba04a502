import type { Migration } from './migration.ts'
import { columns, indexes, rows } from './steps.ts'

/**
 * Turns and waits of recoveries. `recoveries.state` may now be `queued`: others of the company run. The former release would
 * leave such a row alone, so `down` lets it run.
 *
 * - `wakes_at`: no round comes before somebody wakes the workflow: once at most so many of its attempts are to come. Whoever wakes it
 *   sets NULL in the same transaction. NULL: it does not wait.
 * - `probes_before`: probes of the endpoint that had failed when the recovery first met an open circuit breaker. NULL: it has met none.
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
