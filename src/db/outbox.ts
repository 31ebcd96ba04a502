import type { Tenant } from '../domain/tenant.js'
import type { Db } from './connection/connection.js'
import { insertStatement, run, type Statement } from './connection/statements.js'

/**
 * Commands for Temporal.
 * - `start`: start the workflow of a new delivery; the row stays until the first attempt is recorded.
 * - `due`: the delivery waits for a free slot. When one is free the relay claims the row and wakes the workflow.
 * - `wake`: start the workflow or, if it runs, make it read its row again (unparked and forgotten deliveries).
 * - `retry`: the same for a retry request, with its number.
 * - `cancel-webhook`, `resume-webhook`: page through the deliveries of a webhook.
 * - `expire-key`: start the timer of a rotated key, or end it when the key is revoked.
 * `start`, `due` and `wake` wait for a free slot of their webhook, the others for nothing.
 */
export type OutboxKind =
  'start' | 'due' | 'wake' | 'retry' | 'cancel-webhook' | 'resume-webhook' | 'expire-key'

/** Kinds whose row will start or wake one delivery, so that the reconciler need not. */
export const DELIVERY_KINDS = ['start', 'due', 'wake', 'retry'] as const satisfies readonly OutboxKind[]

/** Queue of the commands that need no slot and end with one call. */
export const COMMAND_QUEUE = ''

/** Queue of commands that page through a whole webhook. It sorts before every webhook's queues, as COMMAND_QUEUE does. */
export const PAGE_QUEUE = 'pages'

const DUE_MARK = '+'

/** The webhook's queue of deliveries that are under way. Its other queue, of first attempts, is named by its id. */
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
  /** The time that orders it in its queue; by default now. */
  readonly since?: Date
}

/** Queues the first attempts of new deliveries. They are new, so none of them is queued already. */
export async function insertStarts(
  trx: Db,
  { companyId }: Pick<Tenant, 'companyId'>,
  deliveries: readonly { readonly id: string; readonly webhookId: string }[],
): Promise<void> {
  await run(trx, startRows(deliveries.map((delivery) => ({ ...delivery, companyId }))))
}

/** The statement that queues the first attempts of new deliveries of any companies; see insertStarts. */
export const startRows = (
  deliveries: readonly { readonly companyId: string; readonly id: string; readonly webhookId: string }[],
): Statement =>
  insertStatement(
    'outbox (kind, subject_id, company_id, lane, available_at, created_at)',
    "('start', ?, ?, ?, NOW(3), NOW(3))",
    deliveries.map(({ id, companyId, webhookId }) => [id, companyId, webhookId]),
  )

/**
 * Queues commands in the caller's transaction. A command that is queued already keeps its row, which gets a higher
 * version and may be claimed at once. So a worker that is carrying it out does not delete it.
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
