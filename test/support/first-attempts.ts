import type { Stack } from './stack.js'

/** The environment of workers that make first attempts themselves. */
export const DIRECT = { DELIVERY_FIRST_ATTEMPT: 'direct' }

/** The environment of workers that leave first attempts to workflows, also in a run with direct first attempts. */
export const BY_WORKFLOWS = { DELIVERY_FIRST_ATTEMPT: 'workflow' }

/** Who made the attempts of a delivery, in their order. */
export const makersOf = (stack: Stack, deliveryId: string): Promise<(string | null)[]> =>
  stack.db('attempts').where({ delivery_id: deliveryId }).orderBy('number').pluck('made_by')

/** Whether Temporal has or had a workflow of the delivery. */
export const hasWorkflow = (stack: Stack, deliveryId: string): Promise<boolean> =>
  stack.temporal.workflow
    .getHandle(deliveryId)
    .describe()
    .then(
      () => true,
      () => false,
    )
