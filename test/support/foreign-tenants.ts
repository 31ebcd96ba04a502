import { newId } from '../../src/domain/ids.ts'
import type { Tenant } from '../../src/domain/tenant.ts'

/** Tenants that own nothing of this one: its company in the other environment, and another company. */
export const foreignTenants = ({ companyId, environment }: Tenant): Tenant[] => [
  { companyId, environment: environment === 'live' ? 'test' : 'live' },
  { companyId: newId('company'), environment },
]
