import { pageOffset, totalOfPage, type Page, type PageRequest } from '../../domain/pagination.ts'
import type { Fields, ListedRecord, ResourceFamily, ResourceRecord } from '../../domain/event/resources.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Db } from '../connection/connection.ts'
import {
  INLINE_BYTES,
  readLargeValues,
  unlimitedRoom,
  type MakeRoom,
  type SizedRow,
} from '../connection/large-values.ts'
import { insertStatement, run, type Statement } from '../connection/statements.ts'
import { readResourceCounter } from './resource-counters.ts'
import { ofTenant } from '../tenant.ts'

type ResourceRow = {
  id: string
  company_id: string
  environment: string
  family: ResourceFamily
  fields: string
  created_at: Date
  updated_at: Date
}

const records = (db: Db, tenant: Tenant, family: ResourceFamily) =>
  db<ResourceRow>('resources').where({ ...ofTenant(tenant), family })

export async function insertResource(trx: Db, tenant: Tenant, record: ResourceRecord): Promise<void> {
  await run(trx, resourceRows([{ tenant, record }]))
}

/** The statement that inserts records of any tenants; at least one. */
export const resourceRows = (
  records: readonly { readonly tenant: Tenant; readonly record: ResourceRecord }[],
): Statement =>
  insertStatement(
    'resources (company_id, environment, id, family, fields, created_at, updated_at)',
    '(?, ?, ?, ?, ?, ?, ?)',
    records.map(({ tenant: { companyId, environment }, record }) => [
      companyId,
      environment,
      record.id,
      record.family,
      JSON.stringify(record.fields),
      record.createdAt,
      record.updatedAt,
    ]),
  )

/** The record of the tenant and family, or undefined. */
export async function findResource(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<ResourceRecord | undefined> {
  const [row] = await records(db, tenant, family).where({ id }).limit(1)
  return row && toResource(row)
}

/** As findResource; locks the row until the transaction ends. */
export async function lockResource(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<ResourceRecord | undefined> {
  const [row] = await records(trx, tenant, family).where({ id }).limit(1).forUpdate()
  return row && toResource(row)
}

/** Writes the fields and updated_at of a record whose row the caller has locked. */
export async function updateResource(trx: Db, tenant: Tenant, record: ResourceRecord): Promise<void> {
  await records(trx, tenant, record.family)
    .where({ id: record.id })
    .update({ fields: JSON.stringify(record.fields), updated_at: record.updatedAt })
}

export async function deleteResource(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  id: string,
): Promise<void> {
  await records(trx, tenant, family).where({ id }).delete()
}

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
  const shown = rows.slice(0, page.limit)
  const large = await readLargeValues(shown, makeRoom, (ids) =>
    records(db, tenant, family)
      .whereIn('id', [...ids])
      .select<ListedRow[]>('id', 'created_at', 'updated_at', fieldsAsBytes(db)),
  )
  return { ...page, total, items: shown.flatMap((row) => toListed(row.fields ? row : large.get(row.id))) }
}

/** The rows of a page and one more, without the fields of large records. */
function readPage(
  db: Db,
  tenant: Tenant,
  family: ResourceFamily,
  page: PageRequest,
): Promise<(SizedRow & ListedRow)[]> {
  const newestFirst = [
    { column: 'created_at', order: 'desc' as const },
    { column: 'id', order: 'desc' as const },
  ]
  const ids = records(db, tenant, family)
    .orderBy(newestFirst)
    .limit(page.limit + 1)
    .offset(pageOffset(page))
    .select('id')
  return db('resources as r')
    .whereIn('id', db.select('id').from(ids.as('page')))
    .orderBy(newestFirst)
    .select<(SizedRow & ListedRow)[]>(
      'id',
      'created_at',
      'updated_at',
      db.raw('OCTET_LENGTH(fields) AS bytes'),
      db.raw('IF(OCTET_LENGTH(fields) <= ?, CAST(fields AS BINARY), NULL) AS fields', [INLINE_BYTES]),
    )
}

type ListedRow = Pick<ResourceRow, 'id' | 'created_at' | 'updated_at'> & { readonly fields: Buffer | null }

const fieldsAsBytes = (db: Db) => db.raw('CAST(fields AS BINARY) AS fields')

/** None for a record that was deleted since its page was chosen. */
const toListed = (row: ListedRow | undefined): ListedRecord[] =>
  row?.fields
    ? [{ id: row.id, fieldsJson: row.fields, createdAt: row.created_at, updatedAt: row.updated_at }]
    : []

const toResource = (row: ResourceRow): ResourceRecord => ({
  id: row.id,
  family: row.family,
  fields: JSON.parse(row.fields) as Fields,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
