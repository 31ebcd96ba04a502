import type { Recovery } from '../../domain/recovery/recovery.ts'
import type { Db } from '../connection/connection.ts'
import { placeholders, readRows } from '../connection/statements.ts'

/** The action of the audit entry of a recovery's start. The entry has the time of the recovery's creation. */
export const BEGUN = 'webhook.recover'

/** Gives who began each recovery of a webhook, by the id of the recovery. Those without an entry in the audit are left out. */
export async function listStarters(
  db: Db,
  companyId: string,
  webhookId: string,
  recoveries: readonly Pick<Recovery, 'createdAt'>[],
): Promise<ReadonlyMap<string, string>> {
  if (recoveries.length === 0) return new Map()
  const times = recoveries.map(({ createdAt }) => createdAt)
  const rows = await readRows<{ actor: string; details: string }>(db, {
    sql: `SELECT actor, details FROM audit FORCE INDEX (audit_at)
           WHERE company_id = ? AND at IN (${placeholders(times.length)}) AND subject_id = ? AND action = ?`,
    values: [companyId, ...times, webhookId, BEGUN],
  })
  return new Map(rows.map(({ actor, details }) => [recoveryOf(details), actor]))
}

const recoveryOf = (details: string): string => (JSON.parse(details) as { recovery_id: string }).recovery_id
