/**
 * Who makes the first attempt of a delivery.
 *
 * - `workflow`: its workflow, as all later attempts.
 * - `direct`: the worker that claims it. A delivery that does not succeed then goes to a workflow.
 * - `adaptive`: its workflow in calm hours, the worker under load.
 */
export const FIRST_ATTEMPTS = ['workflow', 'direct', 'adaptive'] as const

export type FirstAttempt = (typeof FIRST_ATTEMPTS)[number]
