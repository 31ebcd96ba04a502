import type { SystemDb } from '../connection/connection.ts'
import { FROM_NOW, toMicroseconds } from '../clock.ts'
import { readRows, run } from '../connection/statements.ts'
import { commandRows } from '../outbox/outbox.ts'
import { COMMAND_QUEUE } from '../outbox/queue-names.ts'

/**
 * Queues the start of running recoveries of which no round has run for `afterMs`.
 *
 * @returns how many there were
 */
export async function restartForgottenRecoveries(
  db: SystemDb,
  afterMs: number,
  limit: number,
): Promise<number> {
  const rows = await readRows<{ id: string; company_id: string }>(db, {
    sql: `SELECT id, company_id FROM recoveries
           WHERE state = 'running' AND touched_at < ${FROM_NOW} ORDER BY touched_at LIMIT ?`,
    values: [toMicroseconds(-afterMs), limit],
  })
  if (rows.length === 0) return 0
  const commands = rows.map(({ id, company_id: companyId }) => ({
    kind: 'recover' as const,
    targetId: id,
    queue: COMMAND_QUEUE,
    companyId,
  }))
  await run(db, commandRows(commands))
  return rows.length
}
