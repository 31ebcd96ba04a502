import { newId } from '../../src/domain/ids.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** A database for the tests of a block, and for each of them a tenant of its own. */
export function useTenant(): { readonly db: Db; readonly tenant: Tenant } {
  let database: TestDatabase
  let tenant: Tenant
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())
  beforeEach(() => {
    tenant = { companyId: newId('company'), environment: 'live' }
  })
  return {
    get db() {
      return database.db
    },
    get tenant() {
      return tenant
    },
  }
}
