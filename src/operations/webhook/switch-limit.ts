import type { Knex } from 'knex'
import { countSwitch } from '../../db/webhook/limits.ts'
import { COMMAND_LINE, type Actor } from '../../domain/actor.ts'
import { ApiError } from '../../domain/errors.ts'
import type { Tenant } from '../../domain/tenant.ts'

/** How often a webhook may be switched, or get other event types, in an hour. */
export const SWITCHES_PER_HOUR = 60

/**
 * Counts a switch of a webhook, over all processes: each leaves a pause, which every recovery of missed events looks at. The
 * command line is not limited: its user runs the service.
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
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  throw new ApiError(
    'RATE_LIMITED',
    `A webhook may be activated, deactivated or get other events ${SWITCHES_PER_HOUR} times an hour.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}
