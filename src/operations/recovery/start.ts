import type { Knex } from 'knex'
import { inTransaction } from '../../db/connection/connection.ts'
import { COMMAND_QUEUE, enqueueCommands } from '../../db/outbox.ts'
import { findRunning, insertRecovery } from '../../db/recovery/recoveries.ts'
import { BEGUN } from '../../db/recovery/starters.ts'
import { lockWebhook } from '../../db/webhook/webhooks.ts'
import type { Actor } from '../../domain/actor.ts'
import { isDuplicate } from '../../domain/database-errors.ts'
import { ApiError, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Recovery } from '../../domain/recovery/recovery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import type { Deps } from '../../process/deps.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { requireRole } from '../user/authority.ts'
import { auditAs } from '../webhook/create.ts'
import { countRecoverable, type RecoveryInput } from './recoverable.ts'

/**
 * Begins a recovery of a webhook, of what countRecoverable counts. A workflow goes on with it.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_ERROR for a window that ends before it begins; CONFLICT while another one runs
 */
export async function startRecovery(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  webhookId: string,
  input: RecoveryInput,
  kept?: AnswerToKeep<Recovery>,
): Promise<Recovery> {
  const now = deps.clock()
  const running = await findRunning(deps.db, tenant, webhookId)
  if (running) throw anotherRuns(running)
  const counted = await countRecoverable(deps, tenant, webhookId, input, now)
  const { kind, since, until } = counted
  const recovery: Recovery = {
    ...{ id: newId('recovery'), webhookId, ...counted, state: 'running', stoppedReason: null },
    ...{ queued: 0, createdAt: now, endedAt: null },
  }
  await inTransaction(deps.db, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'deliveries.recover')
    if (!(await lockWebhook(trx, tenant, webhookId))) throw notFound('Webhook')
    await insertUnlessRunning(trx, tenant, recovery)
    await enqueueCommands(trx, tenant, [{ kind: 'recover', targetId: recovery.id, queue: COMMAND_QUEUE }])
    await auditAs(tenant, actor)(trx, BEGUN, webhookId, now, {
      ...{ recovery_id: recovery.id, status: kind },
      ...{ since: since.toISOString(), until: until.toISOString() },
    })
    await keepAnswer(trx, kept, recovery)
  })
  deps.doorbell.ring()
  return recovery
}

async function insertUnlessRunning(trx: Knex.Transaction, tenant: Tenant, recovery: Recovery): Promise<void> {
  try {
    await insertRecovery(trx, tenant, recovery)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw anotherRuns(await findRunning(trx, tenant, recovery.webhookId), error)
  }
}

const anotherRuns = (running: Recovery | undefined, cause?: unknown): ApiError =>
  new ApiError(
    'CONFLICT',
    `Another recovery of the webhook runs${running ? `: ${running.id}` : ''}. Wait until it is over, or cancel it.`,
    { cause },
  )
