import type { Tenant } from '../domain/tenant.js'
import type { Db } from './connection.js'

/**
 * Commands for Temporal.
 * - `start`: start the workflow of a new delivery; the row stays until the first attempt is recorded.
 * - `wake`: start it or, if it runs, make it read its row again (resumed and forgotten deliveries).
 * - `retry`: the same for a manual retry, with its number.
 * - `cancel-webhook`, `resume-webhook`: page through the deliveries of a webhook.
 * - `expire-key`: start the timer of a rotated key, or end it where the key is revoked.
 * `start` and `wake` wait for a free slot of their webhook, the others for nothing.
 */
export type OutboxKind = 'start' | 'wake' | 'retry' | 'cancel-webhook' | 'resume-webhook' | 'expire-key'

/** Lane of the commands that need no slot. */
export const COMMAND_LANE = ''

export type NewCommand = {
  readonly kind: OutboxKind
  readonly subjectId: string
  /** The webhook whose slots the command needs, or COMMAND_LANE. */
  readonly lane: string
  /** A number that goes with the command: a retry's number, an expiry in epoch milliseconds. */
  readonly argument?: number
}

/**
 * Queues commands in the caller's transaction. A command that is queued already is the same row with a higher
 * version, available at once: whoever is working on it must not delete it (design section 3 step 3).
 */
export async function enqueueCommands(
  trx: Db,
  tenant: Pick<Tenant, 'companyId'>,
  commands: readonly NewCommand[],
): Promise<void> {
  const now = trx.raw('NOW(3)')
  const rows = commands.map((command) => ({
    kind: command.kind,
    subject_id: command.subjectId,
    company_id: tenant.companyId,
    lane: command.lane,
    argument: command.argument ?? null,
    available_at: now,
    created_at: now,
  }))
  await trx('outbox')
    .insert(rows)
    .onConflict(['kind', 'subject_id'])
    .merge({
      version: trx.raw('version + 1'),
      argument: trx.raw(
        'GREATEST(COALESCE(argument, VALUES(argument)), COALESCE(VALUES(argument), argument))',
      ),
      available_at: now,
      tries: 0,
      lease_owner: null,
    })
}
