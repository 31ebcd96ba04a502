import { SIGNALS } from '../../src/workflows/contract.ts'
import { until } from './poll.ts'
import type { Stack } from './use-stack.ts'
import { TAKE_OVER_MS, workflowOf } from './crashes.ts'

/** Sets deliveries in backoff to be due now in their rows. Their workflows do not know of the change yet. */
export async function setDue(stack: Stack, ids: readonly string[]): Promise<void> {
  const now = stack.db.raw('NOW(3)')
  await stack
    .db('deliveries')
    .whereIn('id', [...ids])
    .update({ next_retry_at: now, wake_at: now })
}

/** Makes the next attempt of all given deliveries in backoff due now. */
export async function becomeDue(stack: Stack, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => workflowOf(stack, id)))
  await setDue(stack, ids)
  await Promise.all(ids.map((id) => stack.temporal.workflow.getHandle(id).signal(SIGNALS.resume)))
}

/** Treats every endpoint as healthy during the work, so that first attempts go on although they fail. */
export async function whileFailuresAreForgotten<T>({ db }: Stack, work: () => Promise<T>): Promise<T> {
  const forget = 'SET NEW.consecutive_failures = 0'
  await db.raw(`CREATE TRIGGER forget_failures BEFORE UPDATE ON webhook_health FOR EACH ROW ${forget}`)
  try {
    return await work()
  } finally {
    await db.raw('DROP TRIGGER forget_failures')
  }
}

/** How many deliveries of a webhook wait in its queue for a free slot. */
export async function countQueued(stack: Stack, webhookId: string): Promise<number> {
  const [row] = await stack
    .db('outbox as o')
    .join('deliveries as d', 'd.id', 'o.subject_id')
    .where({ 'o.kind': 'due', 'd.webhook_id': webhookId })
    .count({ count: '*' })
  return Number(row!.count)
}

/** Waits until the delivery is in the queue. The relay wakes it only after `letGo`. */
export async function holdInQueue(stack: Stack, id: string): Promise<{ letGo: () => Promise<void> }> {
  const row = () => stack.db('outbox').where({ kind: 'due', subject_id: id })
  await until(
    () =>
      row()
        .whereNull('lease_owner')
        .update({ available_at: stack.db.raw('NOW(3) + INTERVAL 1 HOUR') }) as Promise<number>,
    (held) => held === 1,
    { withinMs: TAKE_OVER_MS, what: `${id} in the queue` },
  )
  return { letGo: async () => void (await row().update({ available_at: stack.db.raw('NOW(3)') })) }
}
