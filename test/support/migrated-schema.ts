import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { connect, type Db } from '../../src/db/connection/connection.ts'
import { migrate } from '../../src/db/schema.ts'
import { requiredEnv } from './environment.ts'

const schemaFile = () => path.join(requiredEnv('TEST_RUN_DIR'), 'schema.sql')

/**
 * Migrates a database and returns the statements that make the same schema in an empty one. It runs once per mocha
 * process. Tests need hundreds of databases, and the migrations take several times as long as these statements.
 *
 * @param serverUrl an administrator's URL
 */
export const writeMigratedSchema = async (serverUrl: string): Promise<void> =>
  writeFile(schemaFile(), await readFromMigrated(serverUrl))

/** The statements that make the migrated schema in an empty database. */
export const readMigratedSchema = (): Promise<string> => readFile(schemaFile(), 'utf8')

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

/** The statements for a table and for the rows that migrations insert into it. */
async function statementsOf(db: Db, table: string): Promise<string[]> {
  const [[made]] = (await db.raw('SHOW CREATE TABLE ??', [table])) as [[Record<string, string>]]
  const rows = await db(table).select()
  const inserts = rows.length === 0 ? [] : [db(table).insert(rows).toQuery()]
  return [made['Create Table'] ?? '', ...inserts]
}
