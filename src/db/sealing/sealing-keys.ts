import { startOfSealed, type Canary } from '../../domain/sealing/sealing.ts'
import type { SystemDb } from '../connection/connection.ts'

/**
 * The tables with sealed columns: the key column of their rows, the sealed columns, and a condition for rows that have
 * sealed values. Deleted webhooks, users without an authenticator app, and mails that were sent or given up have no
 * sealed values.
 */
const TABLES = {
  webhooks: { key: 'id', columns: ['secret_sealed', 'headers_sealed'], condition: 'deleted_at IS NULL' },
  idempotency: { key: 'scope', columns: ['answer_sealed'], condition: 'answer_sealed IS NOT NULL' },
  users: { key: 'id', columns: ['totp_sealed'], condition: 'totp_sealed IS NOT NULL' },
  mails: { key: 'id', columns: ['mail_sealed'], condition: 'mail_sealed IS NOT NULL' },
  notice_channels: { key: 'id', columns: ['target_sealed', 'secret_sealed'], condition: '1 = 1' },
} as const

export type SealedTable = keyof typeof TABLES

/**
 * A row with its sealed values, in the order of their columns. A value is null for a webhook without custom headers, and for a
 * channel without a secret.
 */
type SealedRow = {
  /** An id. In `idempotency` it is the hash of the request. */
  readonly key: string | Buffer
  readonly companyId: string
  readonly sealed: readonly (string | null)[]
}

/**
 * The sealed rows of all companies, in the order of their keys.
 *
 * @param after the key of the last row of the page before; '' for the first page
 */
export async function listSealedRows(
  db: SystemDb,
  table: SealedTable,
  after: string | Buffer,
  limit: number,
): Promise<SealedRow[]> {
  const { key, columns, condition } = TABLES[table]
  const found = await db(table as string)
    .where(key, '>', after)
    .whereRaw(condition)
    .orderBy(key)
    .limit(limit)
    .select<Record<string, never>[]>(key, 'company_id', ...columns)
  return found.map((row) => ({
    key: row[key] as never,
    companyId: row['company_id'] as unknown as string,
    sealed: columns.map((column) => row[column] as unknown as string | null),
  }))
}

/**
 * Replaces the sealed values of a row, and nothing else. The version and `updated_at` of a webhook stay as they are.
 *
 * @returns false, and replaces nothing, if the row has changed since it was read
 */
export async function replaceSealed(
  db: SystemDb,
  table: SealedTable,
  { key, sealed }: SealedRow,
  resealed: readonly (string | null)[],
): Promise<boolean> {
  const { key: keyColumn, columns } = TABLES[table]
  const valuesOf = (values: readonly (string | null)[]) =>
    Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]))
  const replaced = await db(table as string)
    .where({ [keyColumn]: key, ...valuesOf(sealed) })
    .update(valuesOf(resealed))
  return replaced === 1
}

type SealingKeyRow = { id: string; canary_sealed: string; created_at: Date }

/** The sealed test values of all keys with which processes on this database were ever started. */
export async function listCanaries(db: SystemDb): Promise<Canary[]> {
  const rows = await db<SealingKeyRow>('sealing_keys').select('id', 'canary_sealed')
  return rows.map((row) => ({ keyId: row.id, sealed: row.canary_sealed }))
}

/** Adds sealed test values. If several processes do so at the same time, the row of the first one stays. */
export async function insertCanaries(db: SystemDb, canaries: readonly Canary[]): Promise<void> {
  const now = db.raw('NOW(3)')
  await db('sealing_keys')
    .insert(canaries.map(({ keyId, sealed }) => ({ id: keyId, canary_sealed: sealed, created_at: now })))
    .onConflict('id')
    .ignore()
}

/**
 * Whether the key seals a value of a webhook, an authenticator app, a channel for notices or a waiting mail. It does not read
 * `idempotency`, because kept answers live for a day at most. At worst it reads all rows of the other tables.
 */
export async function isKeyInUse(db: SystemDb, keyId: string): Promise<boolean> {
  const start = startOfSealed(keyId)
  for (const table of ['webhooks', 'notice_channels', 'mails', 'users'] as const) {
    const { columns, condition } = TABLES[table]
    const isUnderKey = columns.map((column) => `LEFT(${column}, ?) = ?`).join(' OR ')
    const row = await db(table as string)
      .whereRaw(
        `${condition} AND (${isUnderKey})`,
        columns.flatMap(() => [start.length, start]),
      )
      .first<{ id: string } | undefined>('id')
    if (row !== undefined) return true
  }
  return false
}
