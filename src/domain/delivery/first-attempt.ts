/**
 * The two ways to the first attempt of a delivery.
 *
 * - `workflow`: the workflow of the delivery makes it, as all later attempts.
 * - `direct`: the worker that claims the delivery makes it, and the retries that are due soon after it. Later retries,
 *   and deliveries that failed for good, go to a workflow.
 */
export const FIRST_ATTEMPTS = ['workflow', 'direct'] as const

export type FirstAttempt = (typeof FIRST_ATTEMPTS)[number]
