import { KEPT_BODIES, type Attempt, type Delivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import {
  insertStatement,
  keyTable,
  placeholders,
  readRows,
  type SqlValue,
  type Statement,
} from '../connection/statements.ts'
import { toAttempt, type AttemptRow } from './rows.ts'

/** Part of a delivery's attempts, newest first. */
type AttemptPage = { readonly items: readonly Attempt[]; readonly hasMore: boolean }

const ATTEMPTS_OF = `FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
  WHERE d.id = ? AND d.company_id = ? AND d.environment = ?`

const delivery = ({ companyId, environment }: Tenant, id: string): SqlValue[] => [id, companyId, environment]

/** The columns of an attempt in the API's list. */
const SHOWN = [
  ...['delivery_id', 'number', 'started_at', 'duration_ms', 'response_code', 'error', 'location'],
  ...['response_headers', 'dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', '`trigger`', 'made_by'],
].map((column) => `a.${column}`)

/** The response body of an attempt: from the delivery's row for the latest attempt, and from its own row for the others. */
const RESPONSE_BODY = 'IF(a.number = d.attempts, d.response_body, IF(a.number > ?, a.response_body, NULL))'

/**
 * The attempts of a delivery below a number, newest first. Only the latest KEPT_BODIES attempts of the delivery have a
 * response body; those that a former release left in older attempts are not read.
 *
 * @param latest number of the delivery's latest attempt
 * @param before attempts with a lower number only; by default all
 */
export async function listAttempts(
  db: Db,
  tenant: Tenant,
  deliveryId: string,
  { latest, limit, before = latest + 1 }: { latest: number; limit: number; before?: number },
): Promise<AttemptPage> {
  const rows = await readRows<AttemptRow>(db, {
    sql: `SELECT ${SHOWN.join(', ')}, ${RESPONSE_BODY} AS response_body
          ${ATTEMPTS_OF} AND a.number < ? ORDER BY a.number DESC LIMIT ?`,
    values: [latest - KEPT_BODIES, ...delivery(tenant, deliveryId), before, limit + 1],
  })
  return { items: rows.slice(0, limit).map(toAttempt), hasMore: rows.length > limit }
}

/** When the latest attempt of a delivery ended; null before the first. */
export async function findAttemptEnd(db: Db, tenant: Tenant, deliveryId: string): Promise<Date | null> {
  const [last] = await readRows<Pick<AttemptRow, 'started_at' | 'duration_ms'>>(db, {
    sql: `SELECT a.started_at, a.duration_ms ${ATTEMPTS_OF} ORDER BY a.number DESC LIMIT 1`,
    values: delivery(tenant, deliveryId),
  })
  return last ? new Date(last.started_at.getTime() + last.duration_ms) : null
}

/**
 * Why a delivery's latest attempt got no answer, as a code. It is null when the endpoint answered, and before the first
 * attempt; then it takes no query.
 */
export async function findLatestError(
  db: Db,
  tenant: Tenant,
  { id, attempts, responseCode }: Pick<Delivery, 'id' | 'attempts' | 'responseCode'>,
): Promise<string | null> {
  if (attempts === 0 || responseCode !== null) return null
  const [last] = await readRows<Pick<AttemptRow, 'error'>>(db, {
    sql: `SELECT a.error ${ATTEMPTS_OF} ORDER BY a.number DESC LIMIT 1`,
    values: delivery(tenant, id),
  })
  return last?.error ?? null
}

/**
 * The statement that inserts attempts; at least one. Their response bodies are not in it, because each is the latest of
 * its delivery.
 */
export const attemptRows = (
  made: readonly { readonly deliveryId: string; readonly attempt: Attempt }[],
): Statement =>
  insertStatement(
    `attempts (delivery_id, number, started_at, duration_ms, response_code, error, location, response_headers,
       dns_ms, connect_ms, tls_ms, first_byte_ms, \`trigger\`, made_by)`,
    `(${placeholders(14)})`,
    made.map(({ deliveryId, attempt }) => [
      deliveryId,
      attempt.number,
      attempt.startedAt,
      attempt.durationMs,
      attempt.responseCode,
      attempt.error,
      attempt.location,
      attempt.responseHeaders,
      attempt.steps.dnsMs,
      attempt.steps.connectMs,
      attempt.steps.tlsMs,
      attempt.steps.firstByteMs,
      attempt.trigger,
      attempt.madeBy,
    ]),
  )

/** An attempt that is about to be written, and how many its delivery had before. */
type NextAttempt = { readonly deliveryId: string; readonly attemptsBefore: number }

/**
 * The statements that make room for the bodies of new attempts; none for first attempts. They move the body of the attempt
 * before from the delivery to that attempt's own row. They remove body and headers of the attempt that is no longer among
 * the latest KEPT_BODIES. Run them before the deliveries change.
 */
export function makeRoomForBodies(attempts: readonly NextAttempt[]): Statement[] {
  const later = attempts.filter(({ attemptsBefore }) => attemptsBefore > 0)
  const full = later.filter(({ attemptsBefore }) => attemptsBefore >= KEPT_BODIES)
  return [...(later.length > 0 ? [keepFormer(later)] : []), ...(full.length > 0 ? [forgetOldest(full)] : [])]
}

/** An UPDATE of a join locks what it reads, also rows of others. So it finds all by their keys. */
function keepFormer(attempts: readonly NextAttempt[]): Statement {
  const { sql, values } = keyTable(attempts.map(({ deliveryId }) => deliveryId))
  return {
    sql: `UPDATE ${sql} wanted
            STRAIGHT_JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = wanted.value
            STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.delivery_id = d.id AND a.number = d.attempts
             SET a.response_body = d.response_body`,
    values,
  }
}

const forgetOldest = (attempts: readonly NextAttempt[]): Statement => ({
  sql: `UPDATE attempts SET response_body = NULL, response_headers = NULL
         WHERE ${attempts.map(() => '(delivery_id = ? AND number = ?)').join(' OR ')}`,
  values: attempts.flatMap(({ deliveryId, attemptsBefore }) => [
    deliveryId,
    attemptsBefore + 1 - KEPT_BODIES,
  ]),
})
