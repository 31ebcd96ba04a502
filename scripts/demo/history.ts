import { connect, inTransaction, type Db, type SystemDb } from '../../src/db/connection/connection.ts'
import { insertEvents } from '../../src/db/event/events.ts'
import { ofTenant } from '../../src/db/conditions.ts'
import { addToCounters } from '../../src/db/webhook/counters.ts'
import { changeHealth } from '../../src/db/webhook/health-rows.ts'
import { addToHours } from '../../src/db/webhook/hourly-stats.ts'
import { answerIn } from '../../src/domain/delivery/outcome.ts'
import { EVENT_CATALOG } from '../../src/domain/event/catalog.ts'
import { createEvent } from '../../src/domain/event/event.ts'
import { newId } from '../../src/domain/ids.ts'
import { DAY_MS, floorTo, HOUR_MS } from '../../src/domain/instants.ts'
import { HEALTHY } from '../../src/domain/webhook/health.ts'
import { NO_FIGURES, withAttempt } from '../../src/domain/webhook/stats.ts'
import { DAYS, MAX_ATTEMPTS, planHistory, type PastAttempt, type PastDelivery } from './history-plan.ts'

/** Whose history is written. `webhookIds`: by their names in PAST_WEBHOOKS. */
type Owners = { companyId: string; keyId: string; webhookIds: Readonly<Record<string, string>> }

/** Rows of one statement. */
const BATCH = 500
/** The events are about this many records of each family. */
const RECORDS = 40

/**
 * Writes two weeks of deliveries into the database of the demo, as the service would have left them: closed, each with its
 * event, its attempts and its part of the counters and statistics. Returns them, oldest first.
 */
export async function writeHistory(databaseUrl: string, owners: Owners): Promise<PastDelivery[]> {
  const db = connect(databaseUrl)
  try {
    const deliveries = planHistory(new Date())
    await inTransaction(db, async (trx) => {
      for (let first = 0; first < deliveries.length; first += BATCH)
        await writeDeliveries(trx, owners, deliveries.slice(first, first + BATCH))
      for (const [name, ofWebhook] of Map.groupBy(deliveries, ({ webhook }) => webhook))
        await writeFigures(trx, owners.webhookIds[name]!, ofWebhook)
      await writeUsage(trx, owners.keyId)
    })
    return deliveries
  } finally {
    await db.destroy()
  }
}

async function writeDeliveries(db: Db, owners: Owners, deliveries: readonly PastDelivery[]) {
  const tenant = { companyId: owners.companyId, environment: 'live' } as const
  const made = deliveries.map((delivery, index) => {
    const data = recordIn(EXAMPLES.get(delivery.type) ?? {}, index % RECORDS)
    const event = createEvent({ id: newId('event'), type: delivery.type, data, now: delivery.createdAt })
    return { ...delivery, id: newId('delivery'), event: { ...event, deliveries: 1 } }
  })
  const events = made.map(({ event }) => event)
  await insertEvents(db, tenant, events)
  const rows = made.map(({ id, webhook, type, event, attempts, status, createdAt }) => {
    const latest = attempts.at(-1)!
    const closedAt = new Date(latest.startedAt.getTime() + latest.durationMs)
    return {
      ...ofTenant(tenant),
      id,
      webhook_id: owners.webhookIds[webhook],
      event_id: event.id,
      event_type: type,
      status,
      attempts: attempts.length,
      max_attempts: MAX_ATTEMPTS,
      ...answerOf(latest),
      request_duration_ms: latest.durationMs,
      created_at: createdAt,
      closed_at: closedAt,
      delivered_at: status === 'success' ? closedAt : null,
      closed_reason: status === 'failed' ? 'attempts_used' : null,
      in_temporal: 1,
    }
  })
  await db('deliveries').insert(rows)
  await db('attempts').insert(made.flatMap(({ id, attempts }) => attemptRows(id, attempts)))
}

const EXAMPLES = new Map(EVENT_CATALOG.map(({ name, example }) => [name, example['data'] as object]))

/** The example as one of several records: its id and its name get the number. @param number from 0 */
function recordIn(example: { id?: string; name?: string }, number: number): object {
  const { id = '', name } = example
  const ending = (0xa000 + 397 * number).toString(16)
  const named = name === undefined ? {} : { name: `${name} ${number + 1}` }
  return { ...example, ...named, id: `${id.slice(0, -ending.length)}${ending}` }
}

function answerOf(attempt: PastAttempt) {
  const answer = answerIn(attempt)
  return { response_code: answer?.status ?? null, response_body: answer?.body ?? null }
}

const attemptRows = (deliveryId: string, attempts: readonly PastAttempt[]) =>
  attempts.map((attempt, index) => ({
    delivery_id: deliveryId,
    number: index + 1,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    ...answerOf(attempt),
    error: attempt.kind === 'unreachable' ? attempt.reason : null,
    trigger: 'scheduled',
    made_by: 'workflow',
  }))

/** Counters, hourly statistics and the health of a webhook. */
async function writeFigures(db: SystemDb, webhookId: string, deliveries: readonly PastDelivery[]) {
  const delivered = deliveries.filter(({ status }) => status === 'success')
  const latest = deliveries.at(-1)!
  const succeededAt = delivered.at(-1)!.createdAt
  const changes = { success: delivered.length, failed: deliveries.length - delivered.length }
  await addToCounters(db, [{ webhookId, triggeredAt: latest.createdAt, succeededAt, changes }])
  const attempts = deliveries.flatMap((delivery) => delivery.attempts)
  const byHour = Map.groupBy(attempts, ({ startedAt }) => floorTo(startedAt, HOUR_MS).getTime())
  const hours = [...byHour].map(([startsAt, ofHour]) => {
    return { webhookId, startsAt: new Date(startsAt), figures: ofHour.reduce(withAttempt, NO_FIGURES) }
  })
  await addToHours(db, 0, hours)
  if (latest.status === 'failed') {
    const failed = attempts.filter(({ startedAt }) => startedAt > succeededAt)
    const since = { failingSince: failed[0]!.startedAt, lastError: 'http_503' }
    await changeHealth(db, webhookId, () => ({ ...HEALTHY, consecutiveFailures: failed.length, ...since }))
  }
  const created_at = new Date(Date.now() - (DAYS + 1) * DAY_MS)
  await db('webhooks').where({ id: webhookId }).update({ created_at })
}

/** Some hundred requests on each working day. */
async function writeUsage(db: Db, keyId: string) {
  const rows = Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(Date.now() - (index + 1) * DAY_MS)
    const requests = day.getUTCDay() % 6 === 0 ? 40 : 400 + ((index * 137) % 200)
    return { key_id: keyId, day: day.toISOString().slice(0, 10), requests }
  })
  await db('api_key_usage').insert(rows)
  const requests = rows.reduce((sum, row) => sum + row.requests, 0)
  await db('api_keys').where({ id: keyId }).increment('request_count', requests)
}
