import { DAY_MS, floorTo, HOUR_MS } from '../instants.ts'

/** The failed attempts since the latest 2xx that count towards a deactivation of the webhook. */
export type CountedFailures = {
  /** When the first of them was recorded. */
  readonly since: Date | null
  readonly latestAt: Date | null
  readonly attempts: number
  /** On how many days, in UTC. */
  readonly days: number
}

export const NONE_COUNTED: CountedFailures = { since: null, latestAt: null, attempts: 0, days: 0 }

/**
 * An endpoint that failed for ENDPOINT_DISABLE_AFTER is deactivated once so many attempts failed, on so many days, and the
 * latest of them lately. It is warned about at half of that time, whatever the other numbers are.
 */
export const LONG_FAILURE = { attempts: 50, days: 3, latestWithinMs: HOUR_MS } as const

/**
 * Whether a failure counts. An address that our own guard refuses says nothing about the endpoint: the operator's networks
 * may be wrong, or our name servers.
 */
export const countsAgainstEndpoint = (errorCode: string): boolean => errorCode !== 'blocked_address'

/** The counts with a failure more. */
export function withFailure(counted: CountedFailures, now: Date): CountedFailures {
  const isNewDay = counted.latestAt === null || floorTo(counted.latestAt, DAY_MS) < floorTo(now, DAY_MS)
  return {
    since: counted.since ?? now,
    latestAt: now,
    attempts: counted.attempts + 1,
    days: counted.days + (isNewDay ? 1 : 0),
  }
}

/**
 * Companies with attempts lately, and those of them that got no 2xx from any endpoint. Companies and not webhooks: one with a
 * thousand dead endpoints says nothing about our network.
 */
export type FailingShare = { readonly attempted: number; readonly failing: number }

/** With fewer companies a share says little: of two, one whose endpoints are dead would be half. */
const FEWEST_COMPANIES = 4

/** Whether the endpoints of so many companies fail that the fault is probably ours: our network, our name servers, our certificates. */
export const isProbablyOurFault = ({ attempted, failing }: FailingShare): boolean =>
  attempted >= FEWEST_COMPANIES && failing > attempted / 2
