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
import { readResourceCounter } from './resource-rows.ts'
import { ofTenantSql } from '../conditions.ts'
import { readRows, sql, type Statement } from '../connection/statements.ts'

type RecordRow = {
  readonly id: string
  readonly revision: number
  readonly created_at: Date
  readonly updated_at: Date
  /** null until they are read. The fields of large records are read later. */
  readonly fields: Buffer | null
}

type PlacedRow = SizedRow & RecordRow

const isOf = (tenant: Tenant, family: ResourceFamily): Statement =>
  sql`${ofTenantSql(tenant)} AND family = ${family}`

/**
 * A page of a family's records, newest first. One index alone chooses the page, so a late page reads no records of
 * earlier pages. It reads one row more than the page has, to learn whether another page follows. The total comes from
 * the counters, not from the rows. Fields are returned as the stored bytes, and are not parsed. First `makeRoom` is
 * called with the size of all records of the page. Then the fields of large records are read in slices.
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
 * Like listResources, but ordered by id, beginning after the id `after`.
 *
 * @returns `next`: the id after which the list continues, if it does. The record with that id may be deleted by then
 */
export async function listResourcesById(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  makeRoom: MakeRoom = unlimitedRoom,
): Promise<{ items: ListedRecord[]; next: string | undefined }> {
  const rows = await readRows<PlacedRow>(db)`
    SELECT ${PLACED_COLUMNS} FROM resources FORCE INDEX (resources_by_id)
     WHERE ${isOf(tenant, family)} AND id > ${after} ORDER BY id LIMIT ${limit + 1}`
  const shown = rows.slice(0, limit)
  const items = await readRecords(db, tenant, family, shown, makeRoom)
  return { items, next: rows.length > limit ? shown.at(-1)?.id : undefined }
}

/** The rows of a page and one more. Large records are without their fields. */
const readPage = (db: Db, tenant: Tenant, family: ResourceFamily, page: PageRequest): Promise<PlacedRow[]> =>
  readRows<PlacedRow>(db)`
    SELECT ${PLACED_COLUMNS} FROM resources
     WHERE id IN (SELECT id FROM (SELECT id FROM resources WHERE ${isOf(tenant, family)}
                                   ORDER BY created_at DESC, id DESC
                                   LIMIT ${page.limit + 1} OFFSET ${pageOffset(page)}) page)
     ORDER BY created_at DESC, id DESC`

const COLUMNS = sql`id, revision, created_at, updated_at`

const PLACED_COLUMNS = sql`${COLUMNS}, OCTET_LENGTH(fields) AS bytes,
  IF(OCTET_LENGTH(fields) <= ${INLINE_BYTES}, CAST(fields AS BINARY), NULL) AS fields`

/**
 * The records of the rows, in the same order, with the fields that the rows lack. A large record that was deleted after `rows`
 * was read is left out.
 */
async function readRecords(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  rows: readonly PlacedRow[],
  makeRoom: MakeRoom,
): Promise<ListedRecord[]> {
  const large = await readLargeValues(
    rows,
    makeRoom,
    (ids) => readRows<RecordRow>(db)`
      SELECT ${COLUMNS}, CAST(fields AS BINARY) AS fields FROM resources
       WHERE ${isOf(tenant, family)} AND id IN (${ids})`,
  )
  return rows.flatMap((row) => toListed(row.fields ? row : large.get(row.id)))
}

function toListed(row: RecordRow | undefined): ListedRecord[] {
  if (!row?.fields) return []
  const { id, fields: fieldsJson, revision, created_at: createdAt, updated_at: updatedAt } = row
  return [{ id, fieldsJson, revision, createdAt, updatedAt }]
}
