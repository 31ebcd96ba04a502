import type { Tenant } from '../domain/tenant.ts'

/** The columns that every row of a tenant carries, for `where` and `insert` alike. */
export const ofTenant = ({ companyId, environment }: Tenant) => ({ company_id: companyId, environment })
