import type { Migration } from './migration.ts'
import { columns, indexes } from './steps.ts'

/**
 * Indexes for the lists of deliveries and events. Each index makes every insert and most updates slower, so other
 * indexes are dropped. From now on `deliveries` has these indexes:
 *
 * - `deliveries_event`, unique: the deliveries of an event. It allows one delivery for each event and webhook, and
 *   further ones numbered by `resend_no`. The index begins with the event id, because new event ids are then added at
 *   its end.
 * - `deliveries_list`: a page of a webhook's deliveries by page number.
 * - `deliveries_status`: the same for one status, parts of the list by cursor, and the open deliveries of a webhook that is
 *   deleted or activated.
 * - `deliveries_tenant`: the deliveries of a company and environment by cursor. The statuses are merged.
 * - `deliveries_due`: closed deliveries, for the purge; parked ones, for the reconciler; all others by the time at which
 *   they are due. Each delivery has exactly one of these three times, so one index replaces `deliveries_closed`,
 *   `deliveries_parked` and `deliveries_wake`.
 *
 * `events_list`: the events of a company and environment by cursor.
 *
 * The column has a step of its own, the first one, because MySQL and MariaDB can add it without copying rows.
 */
export const deliveryLists: Migration = {
  name: '012-delivery-lists',
  steps: [
    columns('deliveries', { resend_no: 'INT UNSIGNED NOT NULL DEFAULT 0' }),
    indexes('deliveries', {
      drop: {
        deliveries_event: 'UNIQUE (webhook_id, event_id)',
        deliveries_wake: '(wake_at)',
        deliveries_parked: '(parked_at)',
        deliveries_closed: '(closed_at)',
      },
      add: {
        deliveries_event: 'UNIQUE (event_id, webhook_id, resend_no)',
        deliveries_tenant: '(company_id, environment, status, created_at, id)',
        deliveries_due: '(closed_at, parked_at, wake_at)',
      },
    }),
    indexes('events', { add: { events_list: '(company_id, environment, created_at, id)' } }),
  ],
}
