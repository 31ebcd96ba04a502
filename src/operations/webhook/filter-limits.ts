import { sumFilters } from '../../db/webhook/limits.ts'
import type { Db } from '../../db/connection/connection.ts'
import { ApiError } from '../../domain/errors.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { TENANT_FILTER_LIMITS, type Filter } from '../../domain/webhook/filter/condition.ts'

/**
 * Refuses a filter when the tenant's filters would together cost a publish too much. Run it while the company is locked.
 *
 * @param webhookId the webhook that gets the filter
 * @throws ApiError CONFLICT that says the limit
 */
export async function limitFilters(
  trx: Db,
  tenant: Tenant,
  webhookId: string,
  filter: Filter | null,
): Promise<void> {
  if (filter === null) return
  const others = await sumFilters(trx, tenant, webhookId)
  const json = JSON.stringify(filter)
  const { bytes, withPatterns } = TENANT_FILTER_LIMITS
  if (json.includes('"$regex"') && others.withPatterns >= withPatterns)
    throw new ApiError('CONFLICT', `No more than ${withPatterns} webhooks may have a filter with $regex.`)
  if (others.bytes + Buffer.byteLength(json) > bytes)
    throw new ApiError('CONFLICT', `The filters of all webhooks may have ${bytes / 1024} KiB together.`)
}
