import type { Tenant } from '../domain/tenant.ts'
import type { Statement } from './connection/statements.ts'

/** The columns that every row of a tenant carries, for `where` and `insert` alike. */
export const ofTenant = ({ companyId, environment }: Tenant) => ({ company_id: companyId, environment })

/** The same columns as a condition in SQL. */
export const ofTenantSql = ({ companyId, environment }: Tenant): Statement => ({
  sql: 'company_id = ? AND environment = ?',
  values: [companyId, environment],
})
