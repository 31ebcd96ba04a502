import { SeededRandom } from '../../soak/random.ts'
import type { AttemptOutcome } from '../../src/domain/delivery/outcome.ts'
import type { EventType } from '../../src/domain/event/catalog.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/instants.ts'

/*
 * Two weeks that never happened, for a demo that has something to look at. The same for everybody: the random numbers
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

type Act = 'answers' | 'fails-once' | 'fails'

/** A webhook of the demo. `path`: at the receiver. */
type DemoWebhookFields = {
  readonly path: string
  readonly name: string
  readonly events: readonly EventType[]
  readonly retry_schedule?: readonly number[]
}

type PastWebhook = {
  readonly webhook: DemoWebhookFields
  /** How many times EVENTS_PER_HOUR it gets. */
  readonly share: number
  readonly act: (random: SeededRandom, ageMs: number) => Act
}

export const DAYS = 14
/** How long the CRM of the demo has been failing. */
const OUTAGE_MS = 2 * DAY_MS
/** Nothing of the last minutes: all that was sent is over, and they belong to what the demo really sends. */
const LATEST_MS = HOUR_MS / 2
const EVENTS_PER_HOUR = { office: 3, night: 0.5 }
/** The retry schedule of the CRM, in seconds: slow, so that its failures do not fill the terminal of the demo. */
const CRM_SCHEDULE = [300]
const CRM_DELAY_MS = 300_000
const FIRST_DELAY_MS = 1_000
const RETRIES = 5

/** By the name under which demo.json keeps the webhook. */
export const PAST_WEBHOOKS: Readonly<Record<string, PastWebhook>> = {
  warehouse: {
    webhook: {
      path: '/warehouse',
      name: 'Warehouse: new deals',
      events: ['deal.created', 'deal.stage_changed'],
    },
    share: 6,
    act: (random) => (random.isHit(0.02) ? 'fails-once' : 'answers'),
  },
  newsletter: {
    webhook: {
      path: '/newsletter',
      name: 'Newsletter: who is in',
      events: ['contact.updated', 'contact.deleted'],
    },
    share: 4,
    act: (random) => (random.isHit(0.12) ? 'fails-once' : 'answers'),
  },
  crm: {
    webhook: {
      path: '/status/503',
      name: 'CRM: copies of deals',
      events: ['deal.updated'],
      retry_schedule: CRM_SCHEDULE,
    },
    share: 1,
    act: (random, ageMs) => (ageMs < OUTAGE_MS ? 'fails' : random.isHit(0.03) ? 'fails-once' : 'answers'),
  },
}

/** What the webhooks of the demo sent in the two weeks before a moment, oldest first. */
export function planHistory(now: Date): PastDelivery[] {
  const random = new SeededRandom('history')
  const deliveries: PastDelivery[] = []
  for (const [name, { webhook, share, act }] of Object.entries(PAST_WEBHOOKS)) {
    let ageMs = DAYS * DAY_MS
    while (ageMs > LATEST_MS) {
      const createdAt = new Date(now.getTime() - ageMs)
      const type = random.pick(webhook.events)!
      deliveries.push({ webhook: name, type, createdAt, ...send(createdAt, act(random, ageMs), random) })
      ageMs -= pauseMs(createdAt, random) / share
    }
  }
  return deliveries.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

/** Until the next event: more of them on a working day. */
function pauseMs(at: Date, random: SeededRandom): number {
  const isOffice = at.getUTCHours() >= 7 && at.getUTCHours() < 18 && at.getUTCDay() % 6 !== 0
  return (HOUR_MS / EVENTS_PER_HOUR[isOffice ? 'office' : 'night']) * random.between(0.2, 1.8)
}

function send(createdAt: Date, act: Act, random: SeededRandom): Pick<PastDelivery, 'attempts' | 'status'> {
  const failures = { answers: 0, 'fails-once': 1, fails: RETRIES + 1 }[act]
  const outcomes = Array.from({ length: failures }, () => failure(act, random))
  if (act !== 'fails') outcomes.push(answer(200, Math.round(20 + 180 * random.between(0, 1) ** 3)))
  let atMs = createdAt.getTime() + 20
  const attempts = outcomes.map((outcome) => {
    const startedAt = new Date(atMs)
    atMs += outcome.durationMs + (act === 'fails' ? CRM_DELAY_MS : FIRST_DELAY_MS)
    return { startedAt, ...outcome }
  })
  return { attempts, status: act === 'fails' ? 'failed' : 'success' }
}

const failure = (act: Act, random: SeededRandom): AttemptOutcome =>
  act === 'fails' || random.isHit(0.5)
    ? answer(503, random.integer(15, 75))
    : { kind: 'unreachable', reason: 'response_timeout', durationMs: 15_000 }

const answer = (status: number, durationMs: number): AttemptOutcome => ({
  kind: 'answered',
  status,
  body: JSON.stringify({ ok: status < 300 }),
  retryAfter: undefined,
  durationMs,
})
