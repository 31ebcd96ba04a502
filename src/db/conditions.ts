import { isId, type Entity } from '../domain/ids.ts'
import type { Environment, Tenant } from '../domain/tenant.ts'
import { joined, rawSql, sql, type Statement } from './connection/statements.ts'

/**
 * The value to query for when a caller gives an id. The database ignores trailing spaces when it compares, so `whk_… `
 * would find the row of `whk_…`. Rows written with the trailing space would belong to no object. A malformed id is
 * replaced by one that no row has.
 */
export const exactId = (entity: Entity, id: string): string => (isId(entity, id) ? id : '')

/** The columns that name the tenant of a row, for `where` and `insert`. */
export const ofTenant = ({ companyId, environment }: Tenant) => ({ company_id: companyId, environment })

/** The columns that name the tenant of a row. */
export type TenantRow = { readonly company_id: string; readonly environment: Environment }

/** The tenant of a row that has these columns. */
export const tenantOf = (row: TenantRow): Tenant => ({
  companyId: row.company_id,
  environment: row.environment,
})

/**
 * The condition that a row belongs to the tenant.
 *
 * @param table name or alias, needed if a joined table has the same columns
 */
export function ofTenantSql({ companyId, environment }: Tenant, table?: string): Statement {
  const start = rawSql(table === undefined ? '' : `${table}.`)
  return sql`${start}company_id = ${companyId} AND ${start}environment = ${environment}`
}

/** The condition that a row belongs to one of the tenants, in a form for which MySQL and MariaDB use an index. */
export function isOneOf(table: string, tenants: readonly Tenant[]): Statement {
  const pairs = tenants.map(({ companyId, environment }) => sql`(${companyId}, ${environment})`)
  return sql`(${rawSql(table)}.company_id, ${rawSql(table)}.environment) IN (${pairs})`
}

/**
 * The condition that a row comes after `row` in the order of a time and the id. MySQL and MariaDB read this form as
 * ranges of an index. Without `row` the condition is always true.
 */
export const isAfter = (
  column: string,
  row: { readonly at: Date; readonly id: string } | undefined,
): Statement =>
  row
    ? sql`(${rawSql(column)} > ${row.at} OR (${rawSql(column)} = ${row.at} AND id > ${row.id}))`
    : sql`1 = 1`

/** A text as part of a LIKE pattern, with its wildcards escaped. */
export const literally = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/**
 * The condition that a column contains a text. ASCII letters match in either case, other characters as they are. The
 * server compares the bytes of column and text as latin1, because a search in UTF-8 takes ten times as long.
 *
 * @param column of text or bytes in UTF-8
 */
export const contains = (column: string, text: string): Statement => sql`
  CONVERT(CAST(${rawSql(column)} AS BINARY) USING latin1)
    LIKE CONVERT(${Buffer.from(`%${literally(text)}%`)} USING latin1) COLLATE latin1_general_ci`

/**
 * The condition that a column of JSON contains a text, as it is or as JSON escapes it: a search for a quotation mark finds
 * `"` and `\"`.
 */
export function containsInJson(column: string, text: string): Statement {
  const escaped = JSON.stringify(text).slice(1, -1)
  return escaped === text
    ? contains(column, text)
    : anyOf([contains(column, text), contains(column, escaped)])
}

/** The condition that at least one of the conditions holds. */
export const anyOf = (conditions: readonly Statement[]): Statement => sql`(${joined(conditions, ' OR ')})`

/** The condition that all conditions hold. Undefined ones are left out; at least one must be defined. */
export const allOf = (conditions: readonly (Statement | undefined)[]): Statement =>
  sql`(${joined(
    conditions.filter((condition) => condition !== undefined),
    ' AND ',
  )})`
