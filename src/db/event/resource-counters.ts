import { randomInt } from 'node:crypto'
import type { ResourceFamily } from '../../domain/event/resources.js'
import type { Tenant } from '../../domain/tenant.js'
import type { Db } from '../connection/connection.js'
import { ofTenant } from '../tenant.js'

/** Rows per tenant and family. A writer takes one at random, so that simultaneous creations rarely wait. */
const SHARDS = 16

/**
 * Adds to the number of records of a family. Call it late in the transaction of the change: the row is shared with
 * other changes of the tenant.
 */
export async function addToResourceCounter(
  trx: Db,
  tenant: Tenant,
  family: ResourceFamily,
  records: number,
): Promise<void> {
  await trx('resource_counters')
    .insert({ ...ofTenant(tenant), family, shard: randomInt(SHARDS), records })
    .onConflict(['company_id', 'environment', 'family', 'shard'])
    .merge({ records: trx.raw('records + VALUES(records)') })
}

/** The number of records of a family, by the counters. */
export async function readResourceCounter(db: Db, tenant: Tenant, family: ResourceFamily): Promise<number> {
  const [row] = await db('resource_counters')
    .where({ ...ofTenant(tenant), family })
    .sum({ records: 'records' })
  return Math.max(0, Number(row?.records ?? 0))
}
