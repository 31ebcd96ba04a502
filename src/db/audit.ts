import type { Actor } from '../domain/actor.js'
import type { Db } from './connection/connection.js'

export type AuditEntry = {
  readonly companyId: string
  readonly at: Date
  readonly actor: Actor
  /** What was done, for example `key.rotate`. */
  readonly action: string
  readonly targetId: string
  /** Names and values that may be shown to an administrator; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Writes the entry in the transaction of the change that it records. */
export async function insertAudit(trx: Db, entry: AuditEntry): Promise<void> {
  await trx('audit').insert({
    company_id: entry.companyId,
    at: entry.at,
    actor: entry.actor.id,
    action: entry.action,
    subject_id: entry.targetId,
    details: JSON.stringify(entry.details ?? {}),
    ip: entry.actor.ip ?? null,
    request_id: entry.actor.requestId ?? null,
  })
}

/** Whether the target has an audit entry of that request. */
export async function hasAuditOf(
  trx: Db,
  { companyId, targetId, requestId }: Pick<AuditEntry, 'companyId' | 'targetId'> & { requestId: string },
): Promise<boolean> {
  const where = { company_id: companyId, subject_id: targetId, request_id: requestId }
  const row = await trx('audit').where(where).first<{ id: number } | undefined>('id')
  return row !== undefined
}
