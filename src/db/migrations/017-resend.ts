import type { Migration } from './migration.ts'

/**
 * `deliveries.resend_of`: the delivery of which this one is a repetition, made because somebody asked for it. NULL: it is
 * none. `resend_no`, which is there since 012-delivery-lists, numbers the repetitions for an event and a webhook from 1.
 */
export const resend: Migration = {
  name: '017-resend',
  up: ['ALTER TABLE deliveries ADD COLUMN resend_of VARCHAR(41) CHARACTER SET ascii COLLATE ascii_bin NULL'],
  down: ['deliveries.resend_of'],
}
