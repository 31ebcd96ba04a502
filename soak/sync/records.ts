import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../src/db/connection/connection.ts'
import { resourceCounterRows } from '../../src/db/event/resource-counters.ts'
import { resourceRows } from '../../src/db/event/resource-rows.ts'
import { run } from '../../src/db/connection/statements.ts'
import {
  newFields,
  RESOURCE_FAMILIES,
  type Fields,
  type ResourceFamily,
  type ResourceRecord,
} from '../../src/domain/event/resources.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { presentResource } from '../../src/presenters/resources.ts'
import type { Held } from './file-table.ts'

const ROWS_PER_STATEMENT = 500

/** The fields of the n-th new record. */
export const givenOf = (family: ResourceFamily, n: number) =>
  family === 'activities' ? { type: 'call', subject: `${n}` } : { name: `${n}` }

/** Inserts records of all families, as they are where the feed begins. @returns their ids by family */
export async function insertRecords(
  db: Db,
  tenant: Tenant,
  count: number,
): Promise<Record<ResourceFamily, string[]>> {
  const families = Object.values(RESOURCE_FAMILIES)
  const ids = families.map((family) => [family.family, [] as string[]] as const)
  const byFamily = Object.fromEntries(ids) as Record<ResourceFamily, string[]>
  const now = new Date()
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    const records = Array.from({ length: Math.min(ROWS_PER_STATEMENT, count - from) }, (_, n) => {
      const description = families[n % families.length]!
      const { family, entity } = description
      const fields = newFields(description, givenOf(family, n))
      const record: ResourceRecord = {
        id: newId(entity),
        family,
        fields,
        revision: 1,
        createdAt: now,
        updatedAt: now,
      }
      byFamily[family].push(record.id)
      return { tenant, record }
    })
    await run(db, resourceRows(records))
    await run(
      db,
      resourceCounterRows(records.map(({ record: { family } }) => ({ tenant, family, records: 1 }))),
    )
  }
  return byFamily
}

/** All records of the table, as the API shows them, by id. */
export async function readRecords(db: Db): Promise<Map<string, object>> {
  type Row = Omit<ResourceRecord, 'fields' | 'createdAt' | 'updatedAt'> & {
    fields: string
    created_at: Date
    updated_at: Date
  }
  const rows = (await db('resources').select('*')) as Row[]
  return new Map(
    rows.map(({ fields, created_at: createdAt, updated_at: updatedAt, ...row }) => [
      row.id,
      presentResource({ ...row, fields: JSON.parse(fields) as Fields, createdAt, updatedAt }),
    ]),
  )
}

/** Compares a copy with the table, record by record. Gives the ids of those that differ. Linear in both. */
export function compareCopy(table: ReadonlyMap<string, object>, copy: ReadonlyMap<string, Held>) {
  const [same, different, missing]: [string[], string[], string[]] = [[], [], []]
  for (const [id, record] of table) {
    const held = copy.get(id)?.record ?? undefined
    const list = held === undefined ? missing : isDeepStrictEqual(held, record) ? same : different
    list.push(id)
  }
  const extra = [...copy].flatMap(([id, { record }]) => (record !== null && !table.has(id) ? [id] : []))
  return { same, different, missing, extra }
}
