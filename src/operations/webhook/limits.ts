import type { Knex } from 'knex'
import type { Db } from '../../db/connection/connection.ts'
import { countSwitch, sumFilters } from '../../db/webhook/limits.ts'
import { conflict, retryLater } from '../../domain/errors.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { TENANT_FILTER_LIMITS, type Filter } from '../../domain/webhook/filter/condition.ts'
import { COMMAND_LINE, type Actor } from '../../domain/actor.ts'

/**
 * Refuses a filter if the tenant's filters together would make a publish too slow. Call it while the company is locked.
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
    throw conflict(`No more than ${withPatterns} webhooks may have a filter with $regex.`)
  if (others.bytes + Buffer.byteLength(json) > bytes)
    throw conflict(`The filters of all webhooks may have ${bytes / 1024} KiB together.`)
}

/** How often in an hour a webhook may be switched on or off, or get other event types. */
export const SWITCHES_PER_HOUR = 60

/**
 * Counts a switch of a webhook, or a change of its event types, over all processes. A deactivation leaves a pause, and
 * so does a change of event types while the webhook is inactive. Every recovery of missed events reads these pauses.
 * The command line is not limited: its user runs the service.
 *
 * @throws ApiError RATE_LIMITED with Retry-After beyond SWITCHES_PER_HOUR
 */
export async function limitSwitches(
  trx: Knex.Transaction,
  tenant: Tenant,
  actor: Actor,
  id: string,
  now: Date,
): Promise<void> {
  if (actor.id === COMMAND_LINE.id) return
  const until = await countSwitch(trx, tenant, id, { most: SWITCHES_PER_HOUR, now })
  if (!until) return
  const message = `A webhook may be activated, deactivated or get other events ${SWITCHES_PER_HOUR} times an hour.`
  throw retryLater('RATE_LIMITED', message, until.getTime() - now.getTime())
}
