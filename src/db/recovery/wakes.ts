import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { enqueueCommands, commandRows } from '../outbox/outbox.ts'
import { countUnderWay, type RecoveryRow } from './rows.ts'
import { recoverCommand } from './turns.ts'
import { fromNow } from '../clock.ts'
import { run } from '../connection/statements.ts'

type Waiting = Pick<RecoveryRow, 'id' | 'company_id'> & { webhook_id: string; wakes_at: number }

/**
 * Wakes the recoveries of these webhooks that wait and are due. Each is woken once, however many workers call this.
 * Most webhooks have no recovery, so this is mostly one statement.
 *
 * @param webhooks by id; `true`: the recovery is due at once, however many of its deliveries are under way
 * @returns how many it woke
 */
export async function wakeRecoveries(db: SystemDb, webhooks: ReadonlyMap<string, boolean>): Promise<number> {
  const waiting = await db('recoveries')
    .whereIn('running_webhook_id', [...webhooks.keys()])
    .where({ state: 'running' })
    .whereNotNull('wakes_at')
    .select<Waiting[]>('id', 'company_id', 'webhook_id', 'wakes_at')
  const woken = await Promise.all(
    waiting.map(async (recovery) => {
      const isDue =
        webhooks.get(recovery.webhook_id) === true ||
        (await countUnderWay(db, recovery.id)) <= recovery.wakes_at
      return isDue && wake(db, recovery)
    }),
  )
  return woken.filter(Boolean).length
}

const wake = (db: SystemDb, { id, company_id: companyId }: Waiting): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const woken = await trx('recoveries').where({ id }).whereNotNull('wakes_at').update({ wakes_at: null })
    if (woken === 0) return false
    await enqueueCommands(trx, { companyId }, [recoverCommand(id)])
    return true
  })

/**
 * Lets the recovery wait until at most `wakesAt` of its deliveries are under way.
 *
 * @returns false if no more than `wakesAt` are under way now. Then do not wait, because nothing would wake the recovery
 */
export async function letRecoveryWait(db: SystemDb, id: string, wakesAt: number): Promise<boolean> {
  await db('recoveries').where({ id, state: 'running' }).update({ wakes_at: wakesAt })
  return (await countUnderWay(db, id)) > wakesAt
}

/** Queues the start of running recoveries that had no round for `afterMs`. @returns how many it queued */
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
    .select<Pick<RecoveryRow, 'id' | 'company_id'>[]>('id', 'company_id')
  if (rows.length === 0) return 0
  await run(
    db,
    commandRows(rows.map(({ id, company_id: companyId }) => ({ ...recoverCommand(id), companyId }))),
  )
  return rows.length
}
