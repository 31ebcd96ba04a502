import type { Knex } from 'knex'
import type { Step } from './migration.ts'

/*
 * The steps of migrations. Each step asks information_schema what exists already. On MySQL and MariaDB a statement that
 * changes a table is done as a whole or not at all, and commits by itself.
 */

/** Column types that must be equal in all tables. Ids are ASCII and compared byte by byte on both servers. */
const TYPES: Record<string, string> = {
  '{id}': 'VARCHAR(41) CHARACTER SET ascii COLLATE ascii_bin',
  '{eventId}': 'VARCHAR(70) CHARACTER SET ascii COLLATE ascii_bin',
  '{environment}': 'VARCHAR(4) CHARACTER SET ascii COLLATE ascii_bin',
}

const withTypes = (definition: string): string =>
  definition.replaceAll(/\{\w+\}/g, (type) => TYPES[type] ?? type)

/** Adds a table. It names our character set, because the defaults of MySQL and MariaDB differ. */
export const table = (name: string, definition: string): Step => ({
  title: `table ${name}`,
  up: async (db) => {
    if (await ofTable(db, 'tables', name).first(db.raw('1'))) return
    await db.raw(
      `CREATE TABLE ${name} (${withTypes(definition)}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci`,
    )
  },
  down: (db) => db.raw(`DROP TABLE IF EXISTS ${name}`),
})

/**
 * Adds columns by name. They may be null or have a default, so neither MySQL nor MariaDB copies rows. On MySQL, INSTANT
 * allows no LOCK clause, and needs none.
 */
export const columns = (name: string, definitions: Readonly<Record<string, string>>): Step => ({
  title: `${name}: columns ${Object.keys(definitions).join(', ')}`,
  up: async (db) => {
    const there = await columnsOf(db, name)
    const missing = Object.entries(definitions).filter(([column]) => !there.includes(column))
    const changes = missing.map(([column, definition]) => `ADD COLUMN ${column} ${withTypes(definition)}`)
    await alter(db, name, changes, 'ALGORITHM=INSTANT')
  },
  down: async (db) => {
    const there = await columnsOf(db, name)
    const gone = Object.keys(definitions).filter((column) => there.includes(column))
    await alter(
      db,
      name,
      gone.map((column) => `DROP COLUMN ${column}`),
      BESIDE_WRITES,
    )
  },
})

/** Indexes by name, each as `(a, b)` or `UNIQUE (a, b)`. */
type Indexes = Readonly<Record<string, string>>

/** Drops and adds indexes in one statement. So if a unique index replaces another one, there is always one of them. */
export const indexes = (name: string, { drop = {}, add }: { drop?: Indexes; add: Indexes }): Step => ({
  title: `${name}: indexes ${Object.keys({ ...drop, ...add }).join(', ')}`,
  up: (db) => replaceIndexes(db, name, drop, add),
  down: (db) => replaceIndexes(db, name, add, drop),
})

const nothing = () => Promise.resolve()

/** Changes rows. It works in pages, and may run again from the start. */
export const rows = (title: string, ways: Partial<Omit<Step, 'title'>>): Step => ({
  title,
  up: nothing,
  down: nothing,
  ...ways,
})

/** Others can read and write the table during the change. The server refuses a change that would have to block them. */
const BESIDE_WRITES = 'ALGORITHM=INPLACE, LOCK=NONE'

async function replaceIndexes(db: Knex, name: string, drop: Indexes, add: Indexes): Promise<void> {
  const there = await indexesOf(db, name)
  const gone = Object.keys(drop).filter((index) => index in there && there[index] !== add[index])
  const missing = Object.entries(add).filter(([index, columnsOf]) => there[index] !== columnsOf)
  const changes = [
    ...gone.map((index) => `DROP KEY ${index}`),
    ...missing.map(([index, parts]) => `ADD ${parts.replace('(', `KEY ${index} (`)}`),
  ]
  await alter(db, name, changes, BESIDE_WRITES)
}

async function alter(db: Knex, name: string, changes: readonly string[], how: string): Promise<void> {
  if (changes.length > 0) await db.raw(`ALTER TABLE ${name} ${changes.join(', ')}, ${how}`)
}

const ofTable = (db: Knex, view: 'tables' | 'columns' | 'statistics', name: string) =>
  db(`information_schema.${view}`).whereRaw('table_schema = DATABASE()').where({ table_name: name })

async function columnsOf(db: Knex, name: string): Promise<string[]> {
  const found = await ofTable(db, 'columns', name).select<{ column: string }[]>('column_name as column')
  return found.map(({ column }) => column)
}

/** The indexes of a table, in the form in which steps write them. */
async function indexesOf(db: Knex, name: string): Promise<Indexes> {
  const found = await ofTable(db, 'statistics', name)
    .groupBy('index_name', 'non_unique')
    .select<{ index: string; parts: string }[]>(
      'index_name as index',
      db.raw(
        `CONCAT(IF(non_unique, '', 'UNIQUE '), '(', GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', '), ')') AS parts`,
      ),
    )
  return Object.fromEntries(found.map(({ index, parts }) => [index, parts]))
}
