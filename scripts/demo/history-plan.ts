import { SeededRandom } from '../../soak/random.ts'
import type { AttemptOutcome } from '../../src/domain/delivery/outcome.ts'
import type { EventType } from '../../src/domain/event/catalog.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/instants.ts'

/*
 * Two weeks of invented history, so that the demo has something to show. It is the same for everybody: the random numbers
 * come from a fixed seed.
 */

export type PastAttempt = AttemptOutcome & { readonly startedAt: Date }

export type PastDelivery = {
  /** Its name in PAST_WEBHOOKS. */
  readonly webhook: string
  readonly type: EventType
  readonly createdAt: Date
  readonly attempts: readonly PastAttempt[]
  readonly status: 'success' | 'failed'
}

/**
 * A webhook of the demo, with its path at the receiver, and what became of its deliveries. It got EVENTS_PER_HOUR times `share`.
 * `failsOnce`: the share that succeeded at the second attempt; `isOut`: whether all of the last OUTAGE_MS failed.
 */
type PastWebhook = {
  readonly path: string
  readonly name: string
  readonly events: readonly EventType[]
  readonly retry_schedule?: readonly number[]
  readonly past: { readonly share: number; readonly failsOnce: number; readonly isOut?: boolean }
}

export const DAYS = 14
/** How long the CRM of the demo has been failing. */
const OUTAGE_MS = 2 * DAY_MS
/** Events are at least this old: their deliveries have ended, and later times are for what the demo really sends. */
const LATEST_MS = HOUR_MS / 2
const EVENTS_PER_HOUR = { office: 3, night: 0.5 }
/** Slow, so that the failures of the CRM do not fill the terminal of the demo. */
const CRM_DELAY_S = 300
const FIRST_DELAY_MS = 1_000
export const MAX_ATTEMPTS = 6

/** By the name under which demo.json keeps the webhook. */
export const PAST_WEBHOOKS: Readonly<Record<string, PastWebhook>> = {
  warehouse: {
    path: '/warehouse',
    name: 'Warehouse: new deals',
    events: ['deal.created', 'deal.stage_changed'],
    past: { share: 6, failsOnce: 0.02 },
  },
  newsletter: {
    path: '/newsletter',
    name: 'Newsletter: who is in',
    events: ['contact.updated', 'contact.deleted'],
    past: { share: 4, failsOnce: 0.12 },
  },
  crm: {
    path: '/status/503',
    name: 'CRM: copies of deals',
    events: ['deal.updated'],
    retry_schedule: [CRM_DELAY_S],
    past: { share: 1, failsOnce: 0.03, isOut: true },
  },
}

/** What the webhooks of the demo sent in the two weeks before a moment, oldest first. */
export function planHistory(now: Date): PastDelivery[] {
  const random = new SeededRandom('history')
  const deliveries: PastDelivery[] = []
  for (const [webhook, { events, past }] of Object.entries(PAST_WEBHOOKS)) {
    let ageMs = DAYS * DAY_MS
    while (ageMs > LATEST_MS) {
      const createdAt = new Date(now.getTime() - ageMs)
      const type = random.pick(events)!
      const isLost = past.isOut === true && ageMs < OUTAGE_MS
      const failures = isLost ? MAX_ATTEMPTS : Number(random.isHit(past.failsOnce))
      const attempts = attemptsAfter(createdAt, failures, random)
      deliveries.push({ webhook, type, createdAt, attempts, status: isLost ? 'failed' : 'success' })
      ageMs -= pauseMs(createdAt, random) / past.share
    }
  }
  return deliveries.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

/** Milliseconds until the next event, shorter in office hours. */
function pauseMs(at: Date, random: SeededRandom): number {
  const isOffice = at.getUTCHours() >= 7 && at.getUTCHours() < 18 && at.getUTCDay() % 6 !== 0
  return (HOUR_MS / EVENTS_PER_HOUR[isOffice ? 'office' : 'night']) * random.between(0.2, 1.8)
}

/** @param failures before the success; with MAX_ATTEMPTS of them there is no success */
function attemptsAfter(createdAt: Date, failures: number, random: SeededRandom): PastAttempt[] {
  const isLost = failures === MAX_ATTEMPTS
  const outcomes = Array.from({ length: failures }, () =>
    isLost || random.isHit(0.5) ? answer(503, random.integer(15, 75)) : TIMED_OUT,
  )
  if (!isLost) outcomes.push(answer(200, Math.round(20 + 180 * random.between(0, 1) ** 3)))
  let atMs = createdAt.getTime() + 20
  return outcomes.map((outcome) => {
    const startedAt = new Date(atMs)
    atMs += outcome.durationMs + (isLost ? CRM_DELAY_S * 1_000 : FIRST_DELAY_MS)
    return { startedAt, ...outcome }
  })
}

const TIMED_OUT: AttemptOutcome = { kind: 'unreachable', reason: 'response_timeout', durationMs: 15_000 }

const answer = (status: number, durationMs: number): AttemptOutcome => ({
  kind: 'answered',
  status,
  body: JSON.stringify({ ok: status < 300 }),
  retryAfter: undefined,
  durationMs,
})
