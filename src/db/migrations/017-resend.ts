import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `deliveries.resend_of`: the delivery that this one repeats, because a user asked for it. NULL: it repeats none.
 * `resend_no`, a column since 012-delivery-lists, numbers the repetitions of an event for a webhook from 1.
 */
export const resend: Migration = {
  name: '017-resend',
  steps: [columns('deliveries', { resend_of: '{id} NULL' })],
}
