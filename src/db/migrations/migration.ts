/** One step of the schema: statements up, and the tables that going down drops, in that order. */
export type Migration = {
  readonly name: string
  readonly up: readonly string[]
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
