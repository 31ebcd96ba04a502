/**
 * The two ways to the first attempt of a delivery.
 *
 * - `workflow`: the workflow of the delivery makes it, as all later attempts.
 * - `direct`: the worker that claims the delivery makes it, and retries that are due soon after it. What is open beyond that, or
 *   failed for good, then goes to a workflow.
 */
export const FIRST_ATTEMPTS = ['workflow', 'direct'] as const

export type FirstAttempt = (typeof FIRST_ATTEMPTS)[number]
