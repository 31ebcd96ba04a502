import { DAY_MS, floorTo, HOUR_MS } from '../instants.ts'

/** The failed attempts since the latest 2xx that count towards a deactivation of the webhook. */
export type CountedFailures = {
  /** When the first of these failures was recorded. */
  readonly since: Date | null
  readonly latestAt: Date | null
  readonly attempts: number
  /** On how many days, in UTC, there were such failures. */
  readonly days: number
}

export const NONE_COUNTED: CountedFailures = { since: null, latestAt: null, attempts: 0, days: 0 }

/**
 * Further conditions for the deactivation of a webhook whose endpoint has failed for ENDPOINT_DISABLE_AFTER: at least
 * this many failures, on at least this many days, and the latest one at most `latestWithinMs` ago. The warning to the
 * owner, at half of ENDPOINT_DISABLE_AFTER, has no such conditions.
 */
export const LONG_FAILURE = { attempts: 50, days: 3, latestWithinMs: HOUR_MS } as const

/**
 * Whether a failure counts. An address that our own guard refuses says nothing about the endpoint, because the operator's
 * networks or our name servers may be wrong.
 */
export const countsAgainstEndpoint = (errorCode: string): boolean => errorCode !== 'blocked_address'

/** The counts after one more failure. */
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
 * How many companies had attempts lately, and how many of these got no 2xx from any endpoint. It counts companies, not
 * webhooks, because a company with a thousand dead endpoints says nothing about our network.
 */
export type FailingShare = { readonly attempted: number; readonly failing: number }

/** With fewer companies the share says little: two companies with dead endpoints are more than half of three. */
const FEWEST_COMPANIES = 4

/**
 * Whether so many companies have failing endpoints that the fault is probably ours: network, name servers or
 * certificates.
 */
export const isProbablyOurFault = ({ attempted, failing }: FailingShare): boolean =>
  attempted >= FEWEST_COMPANIES && failing > attempted / 2
