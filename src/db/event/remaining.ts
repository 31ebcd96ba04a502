import type { SystemDb } from '../connection/connection.ts'
import { run } from '../connection/statements.ts'

/** The event of a delivery. */
type EventKey = { readonly company_id: string; readonly environment: string; readonly event_id: string }

/**
 * Counts deliveries that were made or removed in `remaining` of their events, with one statement for all events that
 * change by the same number. It names the index: beside events_list MariaDB would take 100 ms to find out that the primary
 * key is the better one for 500 events.
 *
 * @param deliveries at least one
 * @param step 1 if they were made, -1 if they were removed
 */
export async function countRemaining(
  trx: SystemDb,
  deliveries: readonly EventKey[],
  step: 1 | -1,
): Promise<void> {
  const toKey = ({ company_id, environment, event_id }: EventKey) => [company_id, environment, event_id]
  const ofEvents = Map.groupBy(deliveries, (delivery) => toKey(delivery).join(' ')).values()
  for (const [count, alike] of Map.groupBy(ofEvents, ({ length }) => length)) {
    await run(trx, {
      sql: `UPDATE events FORCE INDEX (PRIMARY) SET remaining = remaining + ?
             WHERE (company_id, environment, id) IN (${alike.map(() => '(?, ?, ?)').join(', ')})`,
      values: [count * step, ...alike.flatMap((group) => group.slice(0, 1).flatMap(toKey))],
    })
  }
}
