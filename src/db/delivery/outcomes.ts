import type { SystemDb } from '../connection/connection.ts'
import {
  foundBy,
  rowsOf,
  run,
  sql,
  upsertRows,
  type Run,
  type Statement,
  type StatementResult,
} from '../connection/statements.ts'
import { attemptRows, makeRoomForBodies } from './attempts.ts'
import {
  changingColumns,
  toDelivery,
  type DeliveryRow,
  type DeliveryChange,
  type LockedDelivery,
} from './rows.ts'
import { counterRows, transition, type CounterChange } from '../webhook/counters.ts'
import { deactivation } from '../webhook/deactivations.ts'
import { healthRows, type ChangedHealth } from '../webhook/endpoint-health.ts'
import { nextStepsOf } from '../outbox/direct-starts.ts'
import { removalOfStarts } from '../outbox/outbox.ts'
import { READ_CLOCK, timeOf } from '../clock.ts'

type LockedDeliveries = {
  readonly locked: ReadonlyMap<string, LockedDelivery>
  /** Ids of existing deliveries that another transaction locks. */
  readonly lockedElsewhere: ReadonlySet<string>
  readonly now: Date
  /** The results of the caller's further statements, which ran in the same round trip. */
  readonly also: readonly StatementResult[]
}

/**
 * Locks the rows, lowest id first, so that two batches never deadlock. It skips a row that another transaction locks,
 * because a wait would delay all other deliveries of the batch.
 */
export async function lockDeliveries(
  run: Run<SystemDb>,
  ids: readonly string[],
  also: readonly Statement[] = [],
): Promise<LockedDeliveries> {
  const [found, clock, ...others] = await run([
    sql`SELECT * FROM deliveries WHERE id IN (${ids}) ORDER BY id FOR UPDATE SKIP LOCKED`,
    READ_CLOCK,
    ...also,
  ])
  const rows = rowsOf<DeliveryRow>(found)
  const locked = new Map(rows.map((row) => [row.id, { row, delivery: toDelivery(row) }]))
  const missing = ids.filter((id) => !locked.has(id))
  return { locked, lockedElsewhere: await existing(run, missing), now: timeOf(clock), also: others }
}

async function existing(run: Run<SystemDb>, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const [found] = await run([sql`SELECT id FROM deliveries WHERE id IN (${ids})`])
  return new Set(rowsOf<{ id: string }>(found).map(({ id }) => id))
}

/**
 * Writes changed deliveries: inserts their attempts, updates the deliveries, deletes their start rows, queues what
 * follows failed direct attempts, and adds to the counters. Each of these steps is one statement, however many
 * deliveries there are. Before these steps it deactivates webhooks whose endpoint is gone. After them it writes the
 * health of endpoints.
 *
 * @param health the changed health of endpoints
 * @returns ids of the deliveries whose attempt deactivated their webhook
 */
export async function writeOutcomes(
  run: Run<SystemDb>,
  changes: readonly DeliveryChange[],
  now: Date,
  health: ChangedHealth = { changed: new Map(), missing: [] },
): Promise<Set<string>> {
  const gone = changes.flatMap(({ before: { row }, goneAtVersion }) =>
    goneAtVersion === undefined ? [] : [{ row, version: goneAtVersion }],
  )
  const deactivations = gone.map(({ row, version }) => deactivateGone(row, version, now))
  const results = await run([
    ...deactivations.flat(),
    ...(changes.length > 0 ? statementsOf(changes, now) : []),
    ...healthRows(health, now),
  ])
  // The first statement of a deactivation changes the webhook, so its count tells whether the webhook was deactivated.
  const size = deactivations[0]?.length ?? 0
  return new Set(gone.filter((_, index) => foundBy(results[size * index]) > 0).map(({ row }) => row.id))
}

function statementsOf(changes: readonly DeliveryChange[], now: Date): Statement[] {
  const made = changes.flatMap(({ before, attempt }) =>
    attempt ? [{ deliveryId: before.delivery.id, attempt, attemptsBefore: before.delivery.attempts }] : [],
  )
  return [
    ...makeRoomForBodies(made),
    ...(made.length > 0 ? [attemptRows(made)] : []),
    changedRows(changes, now),
    removalOfStarts(changes.map(({ after }) => after.id)),
    ...nextStepsOf(changes),
    counterRows(changes.map(toCounterChange)),
  ]
}

/** Writes changed deliveries to their rows, which the caller has locked. */
export async function writeChanges(
  trx: SystemDb,
  changes: readonly DeliveryChange[],
  now: Date,
): Promise<void> {
  if (changes.length > 0) await run(trx, changedRows(changes, now))
}

/** The statement that writes changed deliveries. It names every column, because it is an upsert. */
function changedRows(changes: readonly DeliveryChange[], now: Date): Statement {
  const changed = changes.map(({ after }) => changingColumns(after, now))
  const rows = changes.map(({ before }, index) => ({ ...before.row, ...changed[index] }))
  return upsertRows('deliveries', rows, Object.keys(changed[0] ?? {}))
}

const toCounterChange = ({ before, after, attempt }: DeliveryChange): CounterChange => ({
  webhookId: after.webhookId,
  changes: transition(before.delivery.status, after.status),
  ...(attempt && { triggeredAt: attempt.startedAt }),
  ...(attempt && after.deliveredAt && { succeededAt: after.deliveredAt }),
})

/**
 * A 410 deactivates the webhook, unless the webhook changed after the request was made. After such a change, the answer
 * may come from the webhook's former URL, or be older than its activation.
 */
const deactivateGone = ({ id, webhook_id, company_id }: DeliveryRow, version: number, now: Date) =>
  deactivation(
    {
      webhookId: webhook_id,
      companyId: company_id,
      version,
      reason: 'gone',
      details: { delivery_id: id },
    },
    now,
  )
