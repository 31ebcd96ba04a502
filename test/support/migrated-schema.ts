import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { connect, type Db } from '../../src/db/connection/connection.ts'
import { migrate } from '../../src/db/schema.ts'
import { requiredEnv } from './environment.ts'
import { makeOnce } from './make-once.ts'

/**
 * Gives the statements that make, in an empty database, what the migrations make. The first caller of a test run migrates a
 * database, reads them there and writes them down for all others: hundreds of databases are needed, and the migrations take
 * several times as long as their result.
 *
 * @param serverUrl an administrator's URL; each server has statements of its own
 */
export async function readMigratedSchema(serverUrl: string): Promise<string> {
  const name = `schema-${createHash('sha256').update(serverUrl).digest('hex').slice(0, 12)}.sql`
  const file = path.join(requiredEnv('TEST_RUN_DIR'), name)
  await makeOnce(file, async (draft) => writeFile(draft, await readFromMigrated(serverUrl)))
  return readFile(file, 'utf8')
}

async function readFromMigrated(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl)
  url.pathname = `/t_schema_${process.pid}`
  await migrate(url.href)
  const db = connect(url.href)
  try {
    const tables = await listTables(db)
    const statements = await Promise.all(tables.map((table) => statementsOf(db, table)))
    await db.raw('DROP DATABASE ??', [url.pathname.slice(1)])
    return ['SET foreign_key_checks = 0', ...statements.flat(), 'SET foreign_key_checks = 1'].join(';\n')
  } finally {
    await db.destroy()
  }
}

async function listTables(db: Db): Promise<string[]> {
  const tables = await db('information_schema.tables')
    .whereRaw('table_schema = DATABASE()')
    .orderBy('name')
    .select<{ name: string }[]>('table_name as name')
  return tables.map(({ name }) => name)
}

/** The table, and the rows that migrations put into it. */
async function statementsOf(db: Db, table: string): Promise<string[]> {
  const [[made]] = (await db.raw('SHOW CREATE TABLE ??', [table])) as [[Record<string, string>]]
  const rows = await db(table).select()
  const inserts = rows.length === 0 ? [] : [db(table).insert(rows).toQuery()]
  return [made['Create Table'] ?? '', ...inserts]
}
