import { isFirstAttempt } from '../../domain/delivery/delivery.ts'
import type { SystemDb } from '../connection/connection.ts'
import { execute, rawSql, run } from '../connection/statements.ts'
import type { DeliveryRow } from '../delivery/rows.ts'
import { commandRows, type NewCommand } from './outbox.ts'
import { dueQueue } from './queues.ts'

/** The columns of a delivery that queueToGoOn uses. */
export const WAITING_COLUMNS = rawSql('id, company_id, webhook_id, in_temporal, attempts, recovery_base')

export type WaitingRow = Pick<
  DeliveryRow,
  'id' | 'company_id' | 'webhook_id' | 'in_temporal' | 'attempts' | 'recovery_base'
>

/**
 * Queues the next step of waiting deliveries, in the caller's transaction: the first attempt if none was made, otherwise
 * the workflow, which reads the row. A direct retry that was parked or lost goes to a workflow too, and is reserved for it.
 */
export async function queueToGoOn(trx: SystemDb, rows: readonly WaitingRow[]): Promise<void> {
  if (rows.length === 0) return
  const retries = rows.filter((row) => row.in_temporal === 0 && !isFirst(row)).map(({ id }) => id)
  if (retries.length > 0) {
    await execute(trx)`UPDATE deliveries SET in_temporal = 1 WHERE id IN (${retries})`
  }
  await run(trx, commandRows(rows.map((row) => ({ ...goOn(row), companyId: row.company_id }))))
}

const goOn = (row: WaitingRow): NewCommand =>
  row.in_temporal === 0 && isFirst(row)
    ? { kind: 'start', targetId: row.id, queue: row.webhook_id }
    : { kind: 'wake', targetId: row.id, queue: dueQueue(row.webhook_id) }

const isFirst = ({ attempts, recovery_base: recoveryBase }: WaitingRow): boolean =>
  isFirstAttempt({ attempts, recoveryBase })
