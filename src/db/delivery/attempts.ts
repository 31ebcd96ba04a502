import { KEPT_BODIES, type Attempt, type Delivery } from '../../domain/delivery/delivery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { anyOf, ofTenantSql } from '../conditions.ts'
import type { Db } from '../connection/connection.ts'
import { insertRows, keyTable, rawSql, readRows, sql, type Statement } from '../connection/statements.ts'
import { toAttempt, type AttemptRow } from './rows.ts'

/** A part of a delivery's attempts, newest first. */
type AttemptPage = { readonly items: readonly Attempt[]; readonly hasMore: boolean }

const attemptsOf = (tenant: Tenant, deliveryId: string): Statement => sql`
  FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
 WHERE d.id = ${deliveryId} AND ${ofTenantSql(tenant, 'd')}`

/** The columns of an attempt in the API's list. */
const SHOWN = rawSql(
  [
    ...['delivery_id', 'number', 'started_at', 'duration_ms', 'response_code', 'error', 'location'],
    ...['response_headers', 'dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', '`trigger`', 'made_by'],
  ]
    .map((column) => `a.${column}`)
    .join(', '),
)

/**
 * The attempts of a delivery with numbers below `before`, newest first. Only the latest KEPT_BODIES attempts of the
 * delivery have a response body. Bodies that a former release left in older attempts are not read.
 *
 * @param latest number of the delivery's latest attempt
 * @param before only attempts with a lower number; by default all
 */
export async function listAttempts(
  db: Db,
  tenant: Tenant,
  deliveryId: string,
  { latest, limit, before = latest + 1 }: { latest: number; limit: number; before?: number },
): Promise<AttemptPage> {
  // The body of the latest attempt is in the delivery's row. The bodies of other attempts are in their own rows.
  const rows = await readRows<AttemptRow>(db)`
    SELECT ${SHOWN}, IF(a.number = d.attempts, d.response_body,
                        IF(a.number > ${latest - KEPT_BODIES}, a.response_body, NULL)) AS response_body
      ${attemptsOf(tenant, deliveryId)} AND a.number < ${before} ORDER BY a.number DESC LIMIT ${limit + 1}`
  return { items: rows.slice(0, limit).map(toAttempt), hasMore: rows.length > limit }
}

/** When the latest attempt of a delivery ended; null before the first attempt. */
export async function findAttemptEnd(db: Db, tenant: Tenant, deliveryId: string): Promise<Date | null> {
  const [last] = await readRows<Pick<AttemptRow, 'started_at' | 'duration_ms'>>(db)`
    SELECT a.started_at, a.duration_ms ${attemptsOf(tenant, deliveryId)} ORDER BY a.number DESC LIMIT 1`
  return last ? new Date(last.started_at.getTime() + last.duration_ms) : null
}

/**
 * Why a delivery's latest attempt got no answer, as a code. It returns null without a query if the endpoint answered or
 * if there was no attempt yet.
 */
export async function findLatestError(
  db: Db,
  tenant: Tenant,
  { id, attempts, responseCode }: Pick<Delivery, 'id' | 'attempts' | 'responseCode'>,
): Promise<string | null> {
  if (attempts === 0 || responseCode !== null) return null
  const [last] = await readRows<Pick<AttemptRow, 'error'>>(db)`
    SELECT a.error ${attemptsOf(tenant, id)} ORDER BY a.number DESC LIMIT 1`
  return last?.error ?? null
}

/**
 * The statement that inserts attempts, at least one. It leaves out their response bodies, because the body of a delivery's
 * latest attempt is in the delivery's row.
 */
export const attemptRows = (
  made: readonly { readonly deliveryId: string; readonly attempt: Attempt }[],
): Statement =>
  insertRows(
    'attempts',
    made.map(({ deliveryId, attempt }) => ({
      delivery_id: deliveryId,
      number: attempt.number,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      response_code: attempt.responseCode,
      error: attempt.error,
      location: attempt.location,
      response_headers: attempt.responseHeaders,
      dns_ms: attempt.steps.dnsMs,
      connect_ms: attempt.steps.connectMs,
      tls_ms: attempt.steps.tlsMs,
      first_byte_ms: attempt.steps.firstByteMs,
      '`trigger`': attempt.trigger,
      made_by: attempt.madeBy,
    })),
  )

/** An attempt that is about to be written, and the number of attempts that its delivery had before. */
type NextAttempt = { readonly deliveryId: string; readonly attemptsBefore: number }

/**
 * The statements that make room for the bodies of new attempts. A first attempt needs none. They move the body of the
 * previous attempt from the delivery to that attempt's own row. They remove body and headers of the attempt that is no
 * longer among the latest KEPT_BODIES. Run them before the deliveries change.
 */
export function makeRoomForBodies(attempts: readonly NextAttempt[]): Statement[] {
  const later = attempts.filter(({ attemptsBefore }) => attemptsBefore > 0)
  const full = later.filter(({ attemptsBefore }) => attemptsBefore >= KEPT_BODIES)
  return [...(later.length > 0 ? [keepFormer(later)] : []), ...(full.length > 0 ? [forgetOldest(full)] : [])]
}

/**
 * Finds its rows by their keys. Otherwise the UPDATE of a join could also read rows of other deliveries, and it locks
 * all rows that it reads.
 */
const keepFormer = (attempts: readonly NextAttempt[]): Statement => sql`
  UPDATE ${keyTable(attempts.map(({ deliveryId }) => deliveryId))} wanted
    STRAIGHT_JOIN deliveries d FORCE INDEX (PRIMARY) ON d.id = wanted.value
    STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.delivery_id = d.id AND a.number = d.attempts
      SET a.response_body = d.response_body`

const forgetOldest = (attempts: readonly NextAttempt[]): Statement => sql`
  UPDATE attempts SET response_body = NULL, response_headers = NULL
   WHERE ${anyOf(
     attempts.map(
       ({ deliveryId, attemptsBefore }) =>
         sql`(delivery_id = ${deliveryId} AND number = ${attemptsBefore + 1 - KEPT_BODIES})`,
     ),
   )}`
