import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../../src/db/connection/connection.ts'
import {
  addToResourceCounter,
  resourceRows,
  toResource,
  type ResourceRow,
} from '../../src/db/event/resource-rows.ts'
import { run } from '../../src/db/connection/statements.ts'
import { newFields, RESOURCE_FAMILIES, type ResourceFamily } from '../../src/domain/event/resources.ts'
import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { presentResource } from '../../src/presenters/events.ts'
import type { Held } from './file-table.ts'

const ROWS_PER_STATEMENT = 500

/** The fields of the n-th new record. */
export const givenOf = (family: ResourceFamily, n: number) =>
  family === 'activities' ? { type: 'call', subject: `${n}` } : { name: `${n}` }

/** Inserts records, equally many of each family, as if made before the feed begins. @returns their ids by family */
export async function insertRecords(db: Db, tenant: Tenant, count: number) {
  const ids = {} as Record<ResourceFamily, string[]>
  const families = Object.values(RESOURCE_FAMILIES)
  const [revision, now] = [1, new Date()]
  for (const description of families) {
    const { family, entity } = description
    const records = Array.from({ length: count / families.length }, (_, n) => {
      const fields = newFields(description, givenOf(family, n))
      return {
        tenant,
        record: { id: newId(entity), family, fields, revision, createdAt: now, updatedAt: now },
      }
    })
    for (let from = 0; from < records.length; from += ROWS_PER_STATEMENT)
      await run(db, resourceRows(records.slice(from, from + ROWS_PER_STATEMENT)))
    await addToResourceCounter(db, tenant, family, records.length)
    ids[family] = records.map(({ record }) => record.id)
  }
  return ids
}

/** All records of the table, as the API shows them, by id. */
export async function readRecords(db: Db): Promise<Map<string, object>> {
  const rows = await db<ResourceRow>('resources').select('*')
  return new Map(rows.map((row) => [row.id, presentResource(toResource(row))]))
}

/** Compares a copy with the table, record by record. @returns the ids by how they compare. Linear in both */
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
