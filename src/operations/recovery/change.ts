import type { Knex } from 'knex'
import { lockCompany } from '../../db/companies.ts'
import {
  BEGUN,
  findOpenRecovery,
  findRecovery,
  insertRecovery,
  lockRecovery,
  type NewRecovery,
} from '../../db/recovery/recoveries.ts'
import { endRecovery, giveTurns, recoverCommand } from '../../db/recovery/turns.ts'
import { readHealth } from '../../db/webhook/health-rows.ts'
import { lockWebhook } from '../../db/webhook/webhooks.ts'
import { isDuplicate } from '../../db/connection/errors.ts'
import { enqueueCommands } from '../../db/outbox/outbox.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { conflict, type ApiError, orNotFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { isOpenRecovery, type Recovery } from '../../domain/recovery/recovery.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { keepAnswer, type AnswerToKeep } from '../idempotency.ts'
import { requireRole } from '../user/authority.ts'
import { auditAs } from '../audit.ts'
import { inRingingTransaction } from '../ringing-transaction.ts'
import { countRecoverable, type RecoveryInput } from './read.ts'

/**
 * Begins a recovery of a webhook. countRecoverable counts the deliveries or events that the recovery will send. A
 * workflow carries the recovery out, at once or when its turn comes. The causes of CONFLICT are checked before the
 * count, because the count reads many rows. The insertion checks again that there is no other recovery.
 *
 * @throws ApiError INSUFFICIENT_PERMISSIONS for a user without the role; NOT_FOUND; VALIDATION_ERROR for a window that
 *   ends before it begins; CONFLICT while another recovery of the webhook is queued or runs. Without `force`, CONFLICT
 *   also while the circuit breaker is open
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
  const other = await findOpenRecovery(deps.db, tenant, webhookId)
  if (other) throw anotherIsOpen(other)
  const found = await readHealth(deps.db, tenant, webhookId)
  if (found && found.health.probeAt !== null && input.force !== true) throw endpointFails()
  const counted = await countRecoverable(deps, tenant, webhookId, input, now)
  const { kind, since, until } = counted
  const id = newId('recovery')
  return inRingingTransaction(deps, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'deliveries.recover')
    orNotFound(await lockWebhook(trx, tenant, webhookId), 'Webhook')
    // Lock the company before the insertion: giveTurns locks in the same order, so the two cannot deadlock.
    await lockCompany(trx, tenant.companyId)
    await insertUnlessOpen(trx, tenant, { id, webhookId, ...counted, createdAt: now })
    await giveTurns(trx, tenant.companyId)
    const inserted = await findRecovery(trx, tenant, webhookId, id)
    if (!inserted) throw new Error(`the recovery ${id} that was inserted is not there`)
    await auditAs(tenant, actor)(trx, BEGUN, webhookId, now, {
      recovery_id: id,
      status: kind,
      since: since.toISOString(),
      until: until.toISOString(),
    })
    return keepAnswer(trx, kept, inserted)
  })
}

/**
 * Cancels a recovery. It queues nothing more, and the deliveries that it queued go on. A recovery that is over stays as it is.
 *
 * @returns the recovery as it is after that
 * @throws ApiError INSUFFICIENT_PERMISSIONS for a user without the role; NOT_FOUND
 */
export async function cancelRecovery(
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  { webhookId, id }: Pick<Recovery, 'webhookId' | 'id'>,
): Promise<Recovery> {
  const { after, isEnded } = await inRingingTransaction(deps, async (trx) => {
    await requireRole(trx, tenant.companyId, actor, 'deliveries.recover')
    const recovery = await lockRecovery(trx, tenant, webhookId, id)
    const isOpen = recovery !== undefined && isOpenRecovery(recovery)
    if (isOpen) {
      const now = deps.clock()
      await endRecovery(trx, recovery, { state: 'cancelled', reason: 'requested' }, now)
      await enqueueCommands(trx, tenant, [recoverCommand(id)])
      await auditAs(tenant, actor)(trx, 'webhook.cancel_recovery', webhookId, now, { recovery_id: id })
    }
    return { after: await findRecovery(trx, tenant, webhookId, id), isEnded: isOpen }
  })
  if (isEnded) deps.metrics.countRecoveryEnd('requested')
  return orNotFound(after, 'Recovery')
}

async function insertUnlessOpen(trx: Knex.Transaction, tenant: Tenant, recovery: NewRecovery): Promise<void> {
  try {
    await insertRecovery(trx, tenant, recovery)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw anotherIsOpen(await findOpenRecovery(trx, tenant, recovery.webhookId), error)
  }
}

const endpointFails = (): ApiError =>
  conflict(
    'The endpoint of the webhook fails (endpoint_failing): its attempts would fail again. Send a test event until one arrives, or begin the recovery all the same ("force": true, or --force on the command line): then it stops after 3 failed probes.',
  )

const anotherIsOpen = (other: Recovery | undefined, cause?: unknown): ApiError =>
  conflict(
    `Another recovery of the webhook ${other?.state === 'queued' ? 'waits for its turn' : 'runs'}${other ? `: ${other.id}` : ''}. Wait until it is over, or cancel it.`,
    cause,
  )
