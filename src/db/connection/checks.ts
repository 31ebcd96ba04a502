import { isReadOnly } from './errors.ts'
import type { Db } from './connection.ts'

/** Whether the database answers; throws when it does not. */
export async function isAnswering(db: Db): Promise<boolean> {
  await db.select(db.raw('1'))
  return true
}

/** The version of the server, such as `10.11.6-MariaDB`. */
export async function readServer(db: Db): Promise<string> {
  const row = await db.select(db.raw('VERSION() AS version')).first<{ version: string } | undefined>()
  return row?.version ?? 'unknown'
}

/**
 * Whether the database takes writes, tried with a DELETE of no row. Its variables would not do: there are four, and MySQL
 * and MariaDB have different ones. Also, only a refused write makes the pool replace a connection to a former primary.
 *
 * @throws the database's or the connection's error when there is no answer
 */
export async function isWritable(db: Db): Promise<boolean> {
  try {
    await db('workers').where({ id: '' }).delete()
    return true
  } catch (error) {
    if (isReadOnly(error)) return false
    throw error
  }
}

/**
 * Whether a commit that was answered survives a crash of the database's machine: the server writes its log to disk
 * before it answers.
 */
export async function keepsEveryCommit(db: Db): Promise<boolean> {
  const row = await db
    .select(db.raw('@@innodb_flush_log_at_trx_commit AS flush'))
    .first<{ flush: number | string } | undefined>()
  return Number(row?.flush) === 1
}
