import type { Tenant } from '../../domain/tenant.ts'
import { NOW, afterNow } from '../clock.ts'
import type { Db, SystemDb } from '../connection/connection.ts'
import { insertRows, rawSql, run, sql, type Statement, execute, keyTable } from '../connection/statements.ts'

/**
 * The kinds of work for the relay.
 * - `start`: make the first attempt of a delivery, or a direct retry, or start its workflow. The row stays until that
 *   attempt is recorded.
 * - `handover`: start the workflow of a delivery whose direct attempt failed.
 * - `due`: the delivery waits for a free slot. When a slot is free, the relay claims the row and wakes the workflow.
 * - `wake`: start the workflow of an unparked or forgotten delivery. If the workflow runs already, make it read the
 *   delivery's row again.
 * - `retry`: the same as `wake`, for a retry request. Its `argument` is the number of the request.
 * - `cancel-webhook`, `resume-webhook`: go through the deliveries of a webhook page by page.
 * - `recover`: start the workflow of a recovery, or end it if the recovery is over.
 * - `resume-company`: go through the webhooks of a company page by page, and queue `resume-webhook` for the active ones.
 * - `expire-key`: start the timer of a rotated key, or end it if the key is revoked.
 * `start`, `due` and `wake` wait for a free slot of their webhook. The others need no slot.
 */
export type OutboxKind =
  | 'start'
  | 'handover'
  | 'due'
  | 'wake'
  | 'retry'
  | 'cancel-webhook'
  | 'resume-webhook'
  | 'recover'
  | 'resume-company'
  | 'expire-key'

/** Kinds of rows that will start or wake one delivery, so that the reconciler need not do it. */
export const DELIVERY_KINDS = [
  'start',
  'handover',
  'due',
  'wake',
  'retry',
] as const satisfies readonly OutboxKind[]

export type NewCommand = {
  readonly kind: OutboxKind
  readonly targetId: string
  /** The name of the queue; see queues.ts. */
  readonly queue: string
  /** `retry`: the number of the retry request. `start` of a retry: until when retries are direct, in epoch milliseconds. */
  readonly argument?: number
  /** When the row is due; by default now. The rows of a queue are ordered by it. */
  readonly since?: Date
}

/** Queues the first attempts of new deliveries. New deliveries have no rows in the outbox yet. */
export async function insertStarts(
  trx: Db,
  { companyId }: Pick<Tenant, 'companyId'>,
  deliveries: readonly { readonly id: string; readonly webhookId: string }[],
): Promise<void> {
  await run(trx, startRows(deliveries.map((delivery) => ({ ...delivery, companyId }))))
}

/** The statement that queues the first attempts of new deliveries of any companies; see insertStarts. */
export const startRows = (
  deliveries: readonly { readonly companyId: string; readonly id: string; readonly webhookId: string }[],
): Statement =>
  insertRows(
    'outbox',
    deliveries.map(({ id, companyId, webhookId }) => ({
      kind: 'start',
      subject_id: id,
      company_id: companyId,
      lane: webhookId,
      available_at: NOW,
      created_at: NOW,
    })),
  )

/** The condition that the row is a `start` row whose direct attempt is under way. Nothing may change it until its lease ends. */
export const IS_ON_ITS_WAY = sql`is_direct = 1 AND lease_owner IS NOT NULL AND available_at > NOW(3)`

/** Sets a column of a row that is queued again. During a direct attempt the column stays as it is. */
const unlessOnItsWay = (column: string, value: string): Statement =>
  sql`${rawSql(column)} = IF(${IS_ON_ITS_WAY}, ${rawSql(column)}, ${rawSql(value)})`

/** How a row changes when it is queued again. A row whose direct attempt is under way stays as it is. */
const QUEUE_AGAIN = sql`ON DUPLICATE KEY UPDATE ${[
  unlessOnItsWay('version', 'version + 1'),
  unlessOnItsWay(
    'argument',
    'GREATEST(COALESCE(argument, VALUES(argument)), COALESCE(VALUES(argument), argument))',
  ),
  unlessOnItsWay('tries', '0'),
  // Columns that IS_ON_ITS_WAY reads come last, because MySQL and MariaDB assign from left to right.
  unlessOnItsWay('lease_owner', 'NULL'),
  sql`available_at = IF(lease_owner IS NULL, VALUES(available_at), available_at)`,
]}`

/**
 * Queues commands in the caller's transaction. A command that is queued already keeps its row. The row gets a higher
 * version and may be claimed at once. So a worker that is carrying out the command does not delete the row.
 */
export async function enqueueCommands(
  trx: Db,
  tenant: Pick<Tenant, 'companyId'>,
  commands: readonly NewCommand[],
): Promise<void> {
  await run(trx, commandRows(commands.map((command) => ({ ...command, companyId: tenant.companyId }))))
}

/** The statement that queues commands of any companies; see enqueueCommands. */
export const commandRows = (commands: readonly (NewCommand & { readonly companyId: string })[]): Statement =>
  insertRows(
    'outbox',
    commands.map(({ kind, targetId, companyId, queue, argument = null, since = NOW }) => ({
      kind,
      subject_id: targetId,
      company_id: companyId,
      lane: queue,
      argument,
      available_at: since,
      created_at: NOW,
    })),
    QUEUE_AGAIN,
  )

/** An outbox row that this worker has claimed, until its lease ends. */
export type ClaimedRow = {
  readonly id: number
  readonly kind: OutboxKind
  readonly targetId: string
  readonly companyId: string
  readonly queue: string
  readonly version: number
  readonly argument: number | null
  /**
   * How often the work of the row failed, before this claim. If the work is a direct attempt, each claim counts,
   * because the worker may die before it can count the failure.
   */
  readonly tries: number
}

/** Releases a claimed row whose work failed, and counts the try. It may be claimed again after the back-off. */
export const releaseRow = (db: SystemDb, row: ClaimedRow, owner: string, backoffMs: number): Promise<void> =>
  giveBack(db, row, owner, { tries: row.tries + 1, pauseMs: backoffMs })

/**
 * Releases a claimed row whose work is not finished. The try does not count. After the pause the row may be claimed again,
 * once the rows that waited before it had their turn.
 */
export const putBackRow = (db: SystemDb, row: ClaimedRow, owner: string, pauseMs = 0): Promise<void> =>
  giveBack(db, row, owner, { tries: row.tries, pauseMs })

async function giveBack(
  db: SystemDb,
  row: ClaimedRow,
  owner: string,
  { tries, pauseMs }: { readonly tries: number; readonly pauseMs: number },
): Promise<void> {
  await execute(db)`
    UPDATE outbox SET lease_owner = NULL, tries = ${tries}, available_at = ${afterNow(pauseMs)}
     WHERE ${isClaimed(row, owner)}`
}

/** Removes a command whose work is done, unless it was queued again since. */
export async function deleteCommand(db: SystemDb, row: ClaimedRow, owner: string): Promise<void> {
  await execute(db)`DELETE FROM outbox WHERE ${isClaimed(row, owner)}`
}

/** Whether this worker still holds the row: no other worker has claimed it, and its command was not queued again. */
const isClaimed = ({ id, version }: ClaimedRow, owner: string): Statement =>
  sql`id = ${id} AND version = ${version} AND lease_owner = ${owner}`

/** Removes the start rows of deliveries that no longer need one. */
export async function deleteStarts(db: SystemDb, deliveryIds: readonly string[]): Promise<void> {
  await run(db, removalOfStarts(deliveryIds))
}

/** The statement of deleteStarts; at least one delivery. */
export const removalOfStarts = (deliveryIds: readonly string[]): Statement =>
  removalOf(['start'], deliveryIds)

/** Removes the `start` and `due` rows of deliveries that get no further attempt. */
export async function deleteWaiting(db: SystemDb, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length > 0) await run(db, removalOf(['start', 'due'], deliveryIds))
}

/** Removes rows by their keys, so that it waits for no row of another delivery. */
const removalOf = (kinds: readonly OutboxKind[], deliveryIds: readonly string[]): Statement => sql`
  DELETE o FROM ${keyTable(kinds)} kinds STRAIGHT_JOIN ${keyTable(deliveryIds)} wanted
    STRAIGHT_JOIN outbox o FORCE INDEX (outbox_subject) ON o.kind = kinds.value AND o.subject_id = wanted.value`

/** Releases claimed `start` rows whose attempt was not made, or not finished. They may be claimed again after the pause. */
export async function releaseStarts(
  db: SystemDb,
  ids: readonly number[],
  owner: string,
  pauseMs = 0,
): Promise<void> {
  await execute(db)`
    UPDATE outbox SET lease_owner = NULL, available_at = ${afterNow(pauseMs)}
     WHERE id IN (${ids}) AND lease_owner = ${owner}`
}

/** Extends the lease of a delivery's start row, because an attempt is about to begin. */
export async function renewStart(db: SystemDb, deliveryId: string, leaseMs: number): Promise<void> {
  await execute(db)`
    UPDATE outbox SET available_at = ${afterNow(leaseMs)} WHERE kind = 'start' AND subject_id = ${deliveryId}`
}
