import type { SystemDb } from '../connection/connection.ts'
import { fromNow } from '../clock.ts'
import { run } from '../connection/statements.ts'
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
  const rows = await db('recoveries')
    .where({ state: 'running' })
    .where('touched_at', '<', fromNow(db, -afterMs))
    .orderBy('touched_at')
    .limit(limit)
    .select<{ id: string; company_id: string }[]>('id', 'company_id')
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
