/*
 * Two weeks that never happened, for a demo that has something to look at. The same for everybody: the random numbers
 * come from a fixed seed.
 */

/**
 * @typedef {{ startedAt: Date, durationMs: number, status?: number, error?: string }} PastAttempt without a status: an error
 * @typedef {{ webhook: string, type: string, createdAt: Date, attempts: PastAttempt[], status: 'success' | 'failed' }} PastDelivery
 * @typedef {{ path: string, name: string, events: string[], retry_schedule?: number[] }} DemoWebhookFields path: at the receiver
 * @typedef {{ webhook: DemoWebhookFields, share: number, act: (random: () => number, ageMs: number) => Act }} PastWebhook
 * @typedef {'answers' | 'fails-once' | 'fails'} Act
 */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
export const DAYS = 14
/** How long the CRM of the demo has been failing. */
const OUTAGE_MS = 2 * DAY_MS
/** Nothing of the last minutes: all that was sent is over, and they belong to what the demo really sends. */
const LATEST_MS = 30 * MINUTE_MS
/** Of a webhook that has one share. */
const EVENTS_PER_HOUR = { office: 3, night: 0.5 }
/** The retry schedule of the CRM, in seconds: slow, so that its failures do not fill the terminal of the demo. */
const CRM_SCHEDULE = [300]
const CRM_DELAY_MS = 5 * MINUTE_MS
const FIRST_DELAY_MS = 1_000
const RETRIES = 5

/** @type {Readonly<Record<string, PastWebhook>>} by the name under which demo.json keeps the webhook */
export const PAST_WEBHOOKS = {
  warehouse: {
    webhook: {
      path: '/warehouse',
      name: 'Warehouse: new deals',
      events: ['deal.created', 'deal.stage_changed'],
    },
    share: 6,
    act: (random) => (random() < 0.02 ? 'fails-once' : 'answers'),
  },
  newsletter: {
    webhook: {
      path: '/newsletter',
      name: 'Newsletter: who is in',
      events: ['contact.updated', 'contact.deleted'],
    },
    share: 4,
    act: (random) => (random() < 0.12 ? 'fails-once' : 'answers'),
  },
  crm: {
    webhook: {
      path: '/status/503',
      name: 'CRM: copies of deals',
      events: ['deal.updated'],
      retry_schedule: CRM_SCHEDULE,
    },
    share: 1,
    act: (random, ageMs) => (ageMs < OUTAGE_MS ? 'fails' : random() < 0.03 ? 'fails-once' : 'answers'),
  },
}

/**
 * What the webhooks of the demo sent in the two weeks before a moment, oldest first.
 *
 * @param {Date} now
 * @returns {PastDelivery[]}
 */
export function planHistory(now) {
  const random = randomNumbers(20_260_101)
  /** @type {PastDelivery[]} */
  const deliveries = []
  for (const [name, { webhook, share, act }] of Object.entries(PAST_WEBHOOKS)) {
    for (
      let ageMs = DAYS * DAY_MS;
      ageMs > LATEST_MS;
      ageMs -= pauseMs(new Date(now.getTime() - ageMs), random) / share
    ) {
      const createdAt = new Date(now.getTime() - ageMs)
      const type = webhook.events[Math.floor(random() * webhook.events.length)] ?? ''
      deliveries.push({ webhook: name, type, createdAt, ...send(createdAt, act(random, ageMs), random) })
    }
  }
  return deliveries.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

/** @param {Date} at @param {() => number} random @returns {number} until the next event: more of them on a working day */
function pauseMs(at, random) {
  const isOffice = at.getUTCHours() >= 7 && at.getUTCHours() < 18 && at.getUTCDay() % 6 !== 0
  const perHour = EVENTS_PER_HOUR[isOffice ? 'office' : 'night']
  return (HOUR_MS / perHour) * (0.2 + 1.6 * random())
}

/**
 * @param {Date} createdAt
 * @param {Act} act
 * @param {() => number} random
 * @returns {Pick<PastDelivery, 'attempts' | 'status'>}
 */
function send(createdAt, act, random) {
  const failures = { answers: 0, 'fails-once': 1, fails: RETRIES + 1 }[act]
  const answer = () => ({ status: 200, durationMs: Math.round(20 + 180 * random() ** 3) })
  const failure = () =>
    act === 'fails' || random() < 0.5
      ? { status: 503, durationMs: Math.round(15 + 60 * random()) }
      : { error: 'response_timeout', durationMs: 15_000 }
  const outcomes = Array.from({ length: Math.max(1, failures + (act === 'fails' ? 0 : 1)) }, (_, index) =>
    index < failures ? failure() : answer(),
  )
  let atMs = createdAt.getTime() + 20
  const attempts = outcomes.map((outcome) => {
    const startedAt = new Date(atMs)
    atMs += outcome.durationMs + (act === 'fails' ? CRM_DELAY_MS : FIRST_DELAY_MS)
    return { startedAt, ...outcome }
  })
  return { attempts, status: act === 'fails' ? 'failed' : 'success' }
}

/** Mulberry32, a small generator of numbers from 0 to 1. @param {number} seed @returns {() => number} */
function randomNumbers(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
