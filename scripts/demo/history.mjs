import { DAYS, PAST_WEBHOOKS, planHistory } from './history-plan.mjs'

/**
 * @typedef {import('./history-plan.mjs').PastDelivery} PastDelivery
 * @typedef {import('knex').Knex} Knex
 * @typedef {{ companyId: string, keyId: string, webhookIds: Readonly<Record<string, string>> }} Owners webhookIds: by their names in
 *   PAST_WEBHOOKS
 */

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Rows of one statement. */
const BATCH = 500
const MAX_ATTEMPTS = 6
/** The events are about this many records of each family. */
const RECORDS = 40

/**
 * Writes two weeks of deliveries into the database of the demo, as the service would have left them: closed, each with its
 * event, its attempts and its part of the counters and statistics.
 *
 * @param {string} databaseUrl
 * @param {Owners} owners of what is written
 * @returns {Promise<PastDelivery[]>} what it wrote, oldest first
 */
export async function writeHistory(databaseUrl, owners) {
  const { connect } = await import('../../src/db/connection/connection.ts')
  const db = connect(databaseUrl)
  try {
    const deliveries = planHistory(new Date())
    await db.transaction(async (trx) => {
      for (let first = 0; first < deliveries.length; first += BATCH)
        await writeDeliveries(trx, owners, deliveries.slice(first, first + BATCH))
      await writeFigures(trx, owners, deliveries)
      await writeUsage(trx, owners.keyId)
    })
    return deliveries
  } finally {
    await db.destroy()
  }
}

/**
 * The example with the number in its id and its name.
 *
 * @param {Readonly<Record<string, unknown>> | undefined} example
 * @param {number} number from 0
 * @returns {Record<string, unknown>}
 */
function recordIn(example, number) {
  const { id = '', name } = /** @type {{ id?: string, name?: string }} */ (example ?? {})
  const ending = (0xa000 + 397 * number).toString(16)
  const named = name === undefined ? {} : { name: `${name} ${number + 1}` }
  return { ...example, ...named, id: `${id.slice(0, -ending.length)}${ending}` }
}

/** @param {Knex} db @param {Owners} owners @param {readonly PastDelivery[]} deliveries */
async function writeDeliveries(db, { companyId, webhookIds }, deliveries) {
  const { newId } = await import('../../src/domain/ids.ts')
  const { createEvent } = await import('../../src/domain/event/event.ts')
  const { insertEvents } = await import('../../src/db/event/events.ts')
  const { EVENT_CATALOG } = await import('../../src/domain/event/catalog.ts')
  const examples = new Map(EVENT_CATALOG.map(({ name, example }) => [name, example.data]))
  const made = deliveries.map((delivery, index) => {
    const { type, createdAt } = delivery
    const data = recordIn(examples.get(type), index % RECORDS)
    const event = createEvent({ id: newId('event'), type, data, now: createdAt })
    return { ...delivery, id: newId('delivery'), event: { ...event, deliveries: 1 } }
  })
  await insertEvents(
    db,
    { companyId, environment: 'live' },
    made.map(({ event }) => event),
  )
  await db('deliveries').insert(made.map((delivery) => deliveryRow(companyId, webhookIds, delivery)))
  await db('attempts').insert(made.flatMap(attemptRows))
}

/**
 * @param {string} companyId
 * @param {Owners['webhookIds']} webhookIds
 * @param {PastDelivery & { id: string, event: { id: string } }} delivery
 */
function deliveryRow(companyId, webhookIds, { id, webhook, type, event, attempts, status, createdAt }) {
  const latest = attempts.at(-1)
  const closedAt = latest && new Date(latest.startedAt.getTime() + latest.durationMs)
  return {
    id,
    company_id: companyId,
    environment: 'live',
    webhook_id: webhookIds[webhook],
    event_id: event.id,
    event_type: type,
    status,
    attempts: attempts.length,
    max_attempts: MAX_ATTEMPTS,
    response_code: latest?.status ?? null,
    response_body: bodyOf(latest?.status),
    request_duration_ms: latest?.durationMs,
    created_at: createdAt,
    closed_at: closedAt,
    delivered_at: status === 'success' ? closedAt : null,
    closed_reason: status === 'failed' ? 'attempts_used' : null,
    in_temporal: 1,
  }
}

/** @param {{ id: string, attempts: PastDelivery['attempts'] }} delivery */
const attemptRows = ({ id, attempts }) =>
  attempts.map(({ startedAt, durationMs, status, error }, index) => ({
    delivery_id: id,
    number: index + 1,
    started_at: startedAt,
    duration_ms: durationMs,
    response_code: status ?? null,
    response_body: bodyOf(status),
    error: error ?? null,
    trigger: 'scheduled',
    made_by: 'workflow',
  }))

/** @param {number | undefined} status */
const bodyOf = (status) => (status === undefined ? null : JSON.stringify({ ok: status < 300 }))

/** Counters, hourly statistics and the health of each webhook. @param {Knex} db @param {Owners} owners @param {readonly PastDelivery[]} deliveries */
async function writeFigures(db, { webhookIds }, deliveries) {
  const { addToCounters } = await import('../../src/db/webhook/counters.ts')
  const { addToHours } = await import('../../src/db/webhook/hourly-stats.ts')
  for (const webhook of Object.keys(PAST_WEBHOOKS)) {
    const webhookId = webhookIds[webhook] ?? ''
    const own = deliveries.filter((delivery) => delivery.webhook === webhook)
    const delivered = own.filter(({ status }) => status === 'success')
    const latest = own.at(-1)
    const succeededAt = delivered.at(-1)?.createdAt
    await addToCounters(db, [
      {
        webhookId,
        triggeredAt: latest?.createdAt,
        succeededAt,
        changes: { success: delivered.length, failed: own.length - delivered.length },
      },
    ])
    await addToHours(db, 0, await hoursOf(webhookId, own))
    if (latest?.status === 'failed') await writeHealth(db, webhookId, own, succeededAt)
  }
  const firstDay = new Date(Date.now() - (DAYS + 1) * DAY_MS)
  await db('webhooks').whereIn('id', Object.values(webhookIds)).update({ created_at: firstDay })
}

/** @param {string} webhookId @param {readonly PastDelivery[]} deliveries */
async function hoursOf(webhookId, deliveries) {
  const { NO_FIGURES, withAttempt } = await import('../../src/domain/webhook/stats.ts')
  const hours = new Map()
  for (const { startedAt, durationMs, status, error } of deliveries.flatMap(({ attempts }) => attempts)) {
    const startsAt = Math.floor(startedAt.getTime() / HOUR_MS) * HOUR_MS
    const outcome =
      status === undefined ? { kind: 'unreachable', reason: error } : { kind: 'answered', status }
    const figures = hours.get(startsAt) ?? NO_FIGURES
    hours.set(startsAt, withAttempt(figures, /** @type {any} */ ({ ...outcome, durationMs })))
  }
  return [...hours].map(([startsAt, figures]) => ({ webhookId, startsAt: new Date(startsAt), figures }))
}

/**
 * @param {Knex} db
 * @param {string} webhookId
 * @param {readonly PastDelivery[]} deliveries
 * @param {Date | undefined} succeededAt the latest success
 */
async function writeHealth(db, webhookId, deliveries, succeededAt) {
  const failed = deliveries
    .flatMap(({ attempts }) => attempts)
    .filter(({ startedAt }) => succeededAt === undefined || startedAt > succeededAt)
  await db('webhook_health').insert({
    webhook_id: webhookId,
    consecutive_failures: failed.length,
    failing_since: failed[0]?.startedAt,
    last_error: 'http_503',
    changed_at: new Date(),
  })
}

/** Some hundred requests on each working day. @param {Knex} db @param {string} keyId */
async function writeUsage(db, keyId) {
  const rows = Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(Date.now() - (index + 1) * DAY_MS)
    const requests = day.getUTCDay() % 6 === 0 ? 40 : 400 + ((index * 137) % 200)
    return { key_id: keyId, day: day.toISOString().slice(0, 10), requests }
  })
  await db('api_key_usage').insert(rows)
  const requests = rows.reduce((sum, row) => sum + row.requests, 0)
  await db('api_keys').where({ id: keyId }).increment('request_count', requests)
}
