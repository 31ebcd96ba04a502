import type { EndpointHealth } from './health.ts'

/**
 * The health of a webhook in one word, for people.
 *
 * - `disabled`: the webhook is inactive, so nothing is sent.
 * - `failing`: its latest attempt failed.
 * - `healthy`: its latest attempt succeeded, or none was made.
 */
export const HEALTH_STATES = ['healthy', 'failing', 'disabled'] as const

export type HealthState = (typeof HEALTH_STATES)[number]

export function healthState(
  { isActive }: { readonly isActive: boolean },
  { consecutiveFailures }: EndpointHealth,
): HealthState {
  if (!isActive) return 'disabled'
  return consecutiveFailures > 0 ? 'failing' : 'healthy'
}
