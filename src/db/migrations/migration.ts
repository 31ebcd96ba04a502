import type { Knex } from 'knex'

/**
 * One step of the schema: the statements of `up`, and what `down` takes back, in order. An entry of `down` is what it drops,
 * as `table` or `table.column`, or a statement.
 */
export type Migration = {
  readonly name: string
  readonly up: readonly string[]
  /** Changes rows after the statements. It works in pages, and may run again after it was cut off. */
  readonly data?: (db: Knex) => Promise<void>
  readonly down: readonly string[]
}

/** Column types that have to be the same everywhere. Ids are ASCII and compared byte by byte on both servers. */
const TYPES: Record<string, string> = {
  '{id}': 'VARCHAR(41) CHARACTER SET ascii COLLATE ascii_bin',
  '{eventId}': 'VARCHAR(70) CHARACTER SET ascii COLLATE ascii_bin',
  '{environment}': 'VARCHAR(4) CHARACTER SET ascii COLLATE ascii_bin',
}

/** A CREATE TABLE statement with our character set named: server defaults differ between MySQL and MariaDB. */
export function table(name: string, columns: string): string {
  const body = columns.replaceAll(/\{\w+\}/g, (type) => TYPES[type] ?? type)
  return `CREATE TABLE ${name} (${body}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci`
}

/** The statement for an entry of `down`. */
export function drop(entry: string): string {
  if (entry.includes(' ')) return entry
  const [name, column] = entry.split('.')
  return column === undefined ? `DROP TABLE IF EXISTS ${name}` : `ALTER TABLE ${name} DROP COLUMN ${column}`
}
