import { isReadOnly } from './errors.ts'
import type { Db } from './connection.ts'

/** Whether the database answers. @throws the error of the query if it does not */
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
 * Whether the database takes writes. It tries a DELETE that matches no row. It does not read the variables of the server,
 * because there are four of them, with different names on MySQL and MariaDB. Also, only a refused write makes the pool
 * replace a connection to a former primary.
 *
 * @throws the error of the database or of the connection, if there is no answer
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
 * Whether an answered commit survives a crash of the database's machine. It does if the server writes its log to disk
 * before it answers.
 */
export async function keepsEveryCommit(db: Db): Promise<boolean> {
  const row = await db
    .select(db.raw('@@innodb_flush_log_at_trx_commit AS flush'))
    .first<{ flush: number | string } | undefined>()
  return Number(row?.flush) === 1
}
