import { READ_CLOCK, timeOf } from '../clock.ts'
import type { SystemDb } from '../connection/connection.ts'
import {
  placeholders,
  rowsOf,
  type Run,
  type Statement,
  type StatementResult,
} from '../connection/statements.ts'
import { toDelivery, type DeliveryRow, type LockedDelivery } from './rows.ts'

type LockedDeliveries = {
  readonly locked: ReadonlyMap<string, LockedDelivery>
  /** Ids of existing deliveries that another transaction locks. */
  readonly lockedElsewhere: ReadonlySet<string>
  readonly now: Date
  /** What the server answered to the other statements of the same round trip. */
  readonly also: readonly StatementResult[]
}

/**
 * Locks the rows, lowest id first, so that two batches never deadlock. It leaves out a row that another transaction
 * locks: waiting for it would delay the others of the batch.
 */
export async function lockDeliveries(
  run: Run<SystemDb>,
  ids: readonly string[],
  also: readonly Statement[] = [],
): Promise<LockedDeliveries> {
  const [found, clock, ...others] = await run([
    {
      sql: `SELECT * FROM deliveries WHERE id IN (${placeholders(ids.length)}) ORDER BY id FOR UPDATE SKIP LOCKED`,
      values: ids,
    },
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
  const sql = `SELECT id FROM deliveries WHERE id IN (${placeholders(ids.length)})`
  const [found] = await run([{ sql, values: ids }])
  return new Set(rowsOf<{ id: string }>(found).map(({ id }) => id))
}
