import type { Migration } from './migration.ts'
import { columns } from './steps.ts'

/**
 * `deliveries.resend_of`: the delivery of which this one is a repetition, made because somebody asked for it. NULL: it is
 * none. `resend_no`, which is there since 012-delivery-lists, numbers the repetitions for an event and a webhook from 1.
 */
export const resend: Migration = {
  name: '017-resend',
  steps: [columns('deliveries', { resend_of: '{id} NULL' })],
}
