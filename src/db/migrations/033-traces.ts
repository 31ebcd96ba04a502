import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `events.traceparent`: the place in a trace where the event was published; null outside a trace. `webhooks.send_traceparent`:
 * whether the webhook's deliveries carry it. The former release leaves the first column null, and sends no traceparent.
 */
export const traces: Migration = {
  name: '033-traces',
  steps: [
    columns('events', { traceparent: 'VARCHAR(55) CHARACTER SET ascii NULL' }),
    columns('webhooks', { send_traceparent: 'TINYINT(1) NOT NULL DEFAULT 0' }),
  ],
}
