import { pageOffset, totalOfPage, type Page, type PageRequest } from '../../domain/pagination.ts'
import type { ListedRecord, ResourceFamily } from '../../domain/event/resources.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.ts'
import { readResourceCounter } from './resource-counters.ts'
import { NEWEST_FIRST } from '../place-statements.ts'
import { ofTenant } from '../conditions.ts'

type RecordRow = {
  readonly id: string
  readonly revision: number
  readonly created_at: Date
  readonly updated_at: Date
  /** Null while they are not read: those of large records come later. */
  readonly fields: Buffer | null
}

type PlacedRow = SizedRow & RecordRow

const records = (db: Db, tenant: Tenant, family: ResourceFamily) =>
  db('resources').where({ ...ofTenant(tenant), family })

/**
 * Newest first. One index alone chooses the page, so that skipping to a late page reads no records. A row beyond the page
 * shows that another page follows. The total comes from the counters, not from the rows. Fields stay the bytes that were
 * stored; those of large records are read in slices once `makeRoom` knows their size.
 */
export async function listResources(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  page: PageRequest,
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<Page<ListedRecord>> {
  const rows = await readPage(db, tenant, family, page)
  const total = totalOfPage(page, rows.length, await readResourceCounter(db, tenant, family))
  const items = await readRecords(db, tenant, family, rows.slice(0, page.limit), makeRoom)
  return { ...page, total, items }
}

/**
 * In the order of ids, behind an id. Otherwise as listResources.
 *
 * @returns `next`: the id behind which the list goes on, if it does; a record of that id may be gone
 */
export async function listResourcesById(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<{ items: ListedRecord[]; next: string | undefined }> {
  const rows = await db
    .from(db.raw('resources FORCE INDEX (resources_by_id)'))
    .where({ ...ofTenant(tenant), family })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit + 1)
    .select<PlacedRow[]>(placedColumns(db))
  const shown = rows.slice(0, limit)
  const items = await readRecords(db, tenant, family, shown, makeRoom)
  return { items, next: rows.length > limit ? shown.at(-1)?.id : undefined }
}

/** The rows of a page and one more, without the fields of large records. */
function readPage(db: Db, tenant: Tenant, family: ResourceFamily, page: PageRequest): Promise<PlacedRow[]> {
  const ids = records(db, tenant, family)
    .orderBy(NEWEST_FIRST)
    .limit(page.limit + 1)
    .offset(pageOffset(page))
    .select('id')
  return db('resources as r')
    .whereIn('id', db.select('id').from(ids.as('page')))
    .orderBy(NEWEST_FIRST)
    .select<PlacedRow[]>(placedColumns(db))
}

const COLUMNS = ['id', 'revision', 'created_at', 'updated_at'] as const

const placedColumns = (db: Db) => [
  ...COLUMNS,
  db.raw('OCTET_LENGTH(fields) AS bytes'),
  db.raw('IF(OCTET_LENGTH(fields) <= ?, CAST(fields AS BINARY), NULL) AS fields', [INLINE_BYTES]),
]

/** The records of rows in their order, with the fields that the rows lack. Leaves out those that were deleted meanwhile. */
async function readRecords(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  rows: readonly PlacedRow[],
  makeRoom: MakeRoom,
): Promise<ListedRecord[]> {
  const large = await readLargeValues(rows, makeRoom, (ids) =>
    records(db, tenant, family)
      .whereIn('id', [...ids])
      .select<RecordRow[]>([...COLUMNS, db.raw('CAST(fields AS BINARY) AS fields')]),
  )
  return rows.flatMap((row) => toListed(row.fields ? row : large.get(row.id)))
}

function toListed(row: RecordRow | undefined): ListedRecord[] {
  if (!row?.fields) return []
  const { id, fields: fieldsJson, revision, created_at: createdAt, updated_at: updatedAt } = row
  return [{ id, fieldsJson, revision, createdAt, updatedAt }]
}
