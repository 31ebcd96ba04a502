import type { Tenant } from '../domain/tenant.js'
import type { Db } from './connection/connection.js'

/**
 * Commands for Temporal.
 * - `start`: start the workflow of a new delivery; the row stays until the first attempt is recorded.
 * - `due`: the delivery waits for a free slot. The relay takes the row when one is free and wakes its workflow, which makes the attempt.
 * - `wake`: start it or, if it runs, make it read its row again (resumed and forgotten deliveries).
 * - `retry`: the same for a manual retry, with its number.
 * - `cancel-webhook`, `resume-webhook`: page through the deliveries of a webhook.
 * - `expire-key`: start the timer of a rotated key, or end it where the key is revoked.
 * `start`, `due` and `wake` wait for a free slot of their webhook, the others for nothing.
 */
export type OutboxKind =
  'start' | 'due' | 'wake' | 'retry' | 'cancel-webhook' | 'resume-webhook' | 'expire-key'

/** Kinds whose row is about one delivery and ends with it or wakes it: such a delivery is not forgotten. */
export const DELIVERY_KINDS = ['start', 'due', 'wake', 'retry'] as const satisfies readonly OutboxKind[]

/** Queue of the commands that need no slot and end with one call. */
export const COMMAND_QUEUE = ''

/** Queue of the commands that go over a whole webhook. It sorts before every webhook's queues, as COMMAND_QUEUE does. */
export const PAGE_QUEUE = 'pages'

const DUE_MARK = '+'

/** A webhook has two queues. Its own id is the queue of first attempts, this one that of deliveries already under way. */
export const dueQueue = (webhookId: string): string => `${webhookId}${DUE_MARK}`

/** The webhook whose slots the rows of a queue need; undefined for a queue that needs none. */
export function webhookOfQueue(queue: string): string | undefined {
  if (queue === COMMAND_QUEUE || queue === PAGE_QUEUE) return undefined
  return queue.endsWith(DUE_MARK) ? queue.slice(0, -DUE_MARK.length) : queue
}

export type NewCommand = {
  readonly kind: OutboxKind
  readonly targetId: string
  /** COMMAND_QUEUE, PAGE_QUEUE, the webhook's id, or dueQueue() of it. */
  readonly queue: string
  /** A number that goes with the command: a retry's number, an expiry in epoch milliseconds. */
  readonly argument?: number
  /** Its place in the queue, which is in order of time; by default the end. */
  readonly since?: Date
}

/**
 * Queues commands in the caller's transaction. A command that is queued already is the same row with a higher
 * version, available at once: whoever is working on it must not delete it.
 */
export async function enqueueCommands(
  trx: Db,
  tenant: Pick<Tenant, 'companyId'>,
  commands: readonly NewCommand[],
): Promise<void> {
  const now = trx.raw('NOW(3)')
  const rows = commands.map((command) => ({
    kind: command.kind,
    subject_id: command.targetId,
    company_id: tenant.companyId,
    lane: command.queue,
    argument: command.argument ?? null,
    available_at: command.since ?? now,
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
      available_at: trx.raw('VALUES(available_at)'),
      tries: 0,
      lease_owner: null,
    })
}
