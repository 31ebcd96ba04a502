import type { Actor } from '../domain/actor.js'
import type { Db } from './connection/connection.js'

export type AuditEntry = {
  readonly companyId: string
  readonly at: Date
  readonly actor: Actor
  /** What was done, for example `key.rotate`. */
  readonly action: string
  readonly subjectId: string
  /** Names and values that may be shown to an administrator; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Writes the entry in the transaction of the change that it tells of. */
export async function insertAudit(trx: Db, entry: AuditEntry): Promise<void> {
  await trx('audit').insert({
    company_id: entry.companyId,
    at: entry.at,
    actor: entry.actor.id,
    action: entry.action,
    subject_id: entry.subjectId,
    details: JSON.stringify(entry.details ?? {}),
    ip: entry.actor.ip ?? null,
    request_id: entry.actor.requestId ?? null,
  })
}

/** Whether the subject has an entry of that request. */
export async function hasAuditOf(
  trx: Db,
  { companyId, subjectId, requestId }: Pick<AuditEntry, 'companyId' | 'subjectId'> & { requestId: string },
): Promise<boolean> {
  const where = { company_id: companyId, subject_id: subjectId, request_id: requestId }
  const row = await trx('audit').where(where).first<{ id: number } | undefined>('id')
  return row !== undefined
}
