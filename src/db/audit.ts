import type { Actor } from '../domain/actor.ts'
import type { Db } from './connection/connection.ts'
import {
  insertStatement,
  placeholders,
  readRows,
  run,
  type SqlValue,
  type Statement,
} from './connection/statements.ts'

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
  await run(trx, insertStatement(AUDIT, `(${placeholders(8)})`, [valuesOf(entry)]))
}

/** The statement that writes the entry if the statement just before it found a row. */
export const auditIfChanged = (entry: AuditEntry): Statement => ({
  sql: `INSERT INTO ${AUDIT} SELECT ${placeholders(8)} FROM DUAL WHERE ROW_COUNT() > 0`,
  values: valuesOf(entry),
})

const AUDIT = 'audit (company_id, at, actor, action, subject_id, details, ip, request_id)'

const valuesOf = (entry: AuditEntry): SqlValue[] => [
  entry.companyId,
  entry.at,
  entry.actor.id,
  entry.action,
  entry.targetId,
  JSON.stringify(entry.details ?? {}),
  entry.actor.ip ?? null,
  entry.actor.requestId ?? null,
]

/** An entry as it was written. */
export type WrittenEntry = Required<Pick<AuditEntry, 'at' | 'actor' | 'action' | 'targetId' | 'details'>> & {
  readonly number: number
}

/**
 * The company's entries, newest first, those behind `before` only.
 *
 * @param targetId entries of one target only; undefined: of all
 */
export async function listAudit(
  db: Db,
  companyId: string,
  {
    limit,
    before,
    targetId,
  }: {
    limit: number
    before: Pick<WrittenEntry, 'at' | 'number'> | undefined
    targetId?: string | undefined
  },
): Promise<WrittenEntry[]> {
  const behind = before ? 'AND (at < ? OR (at = ? AND id < ?))' : ''
  const place = before ? [before.at, before.at, before.number] : []
  const [ofTarget, target] = targetId === undefined ? ['', []] : ['AND subject_id = ?', [targetId]]
  const sql = `SELECT id, at, actor, action, subject_id, details, ip FROM audit
                WHERE company_id = ? ${ofTarget} ${behind} ORDER BY at DESC, id DESC LIMIT ?`
  const rows = await readRows<AuditRow>(db, { sql, values: [companyId, ...target, ...place, limit] })
  return rows.map((row) => ({
    number: row.id,
    at: row.at,
    actor: { id: row.actor, ...(row.ip !== null && { ip: row.ip }) },
    action: row.action,
    targetId: row.subject_id,
    details: JSON.parse(row.details) as Record<string, unknown>,
  }))
}

type AuditRow = {
  id: number
  at: Date
  actor: string
  action: string
  subject_id: string
  details: string
  ip: string | null
}

/** Whether the target has an audit entry of that request. */
export async function hasAuditOf(
  trx: Db,
  { companyId, targetId, requestId }: Pick<AuditEntry, 'companyId' | 'targetId'> & { requestId: string },
): Promise<boolean> {
  const sql = 'SELECT id FROM audit WHERE company_id = ? AND subject_id = ? AND request_id = ? LIMIT 1'
  return (await readRows(trx, { sql, values: [companyId, targetId, requestId] })).length > 0
}
