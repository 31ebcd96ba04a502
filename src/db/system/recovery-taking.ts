import type { Knex } from 'knex'
import { isTest } from '../../domain/delivery/delivery.js'
import { reopen } from '../../domain/delivery/reopening.js'
import { runIn } from '../connection/statements.js'
import { enqueueCommands, goOn } from '../outbox.js'
import type { RecoveryRow } from '../recovery/recoveries.js'
import { addToCounters } from '../webhook/counters.js'
import { lockDeliveries, writeChanges, type DeliveryChange } from './outcomes.js'
import type { Candidate } from './recovery-candidates.js'

/** A failed delivery that is to be opened again. `hasNoRun`: no workflow of it runs, nor can any start. */
export type CheckedCandidate = Candidate & { readonly hasNoRun: boolean }

type Taking = { readonly room: number; readonly maxRetries: number; readonly now: Date }

/**
 * Opens as many candidates again as there is room for, in their order. It ends before one that another transaction locks:
 * the next page begins with it. One that changed since it was read is passed over when it is no longer failed.
 *
 * @returns how many candidates the cursor has passed, and how many of them were queued
 */
export async function takeFailed(
  trx: Knex.Transaction,
  row: RecoveryRow,
  candidates: readonly CheckedCandidate[],
  { room, maxRetries, now }: Taking,
): Promise<{ handled: number; queued: number }> {
  const wanted = candidates.slice(0, room)
  if (wanted.length === 0) return { handled: 0, queued: 0 }
  const { locked, held } = await lockDeliveries(
    runIn(trx),
    wanted.map(({ id }) => id),
  )
  const firstHeld = wanted.findIndex(({ id }) => held.has(id))
  const handled = firstHeld === -1 ? wanted : wanted.slice(0, firstHeld)
  const changes = handled.flatMap((candidate): DeliveryChange[] => {
    const before = locked.get(candidate.id)
    if (before?.delivery.status !== 'failed' || isTest(before.delivery)) return []
    const { attempts, retrySeq } = before.delivery
    const isUnchanged = attempts === candidate.attempts && retrySeq === candidate.retrySeq
    const hasNoRun = candidate.hasNoRun && isUnchanged
    return [{ before, after: reopen(before.delivery, { maxRetries, hasNoRun, now }) }]
  })
  const last = handled.at(-1)
  if (last) await moveOn(trx, row, { last, changes, now })
  return { handled: handled.length, queued: changes.length }
}

type Move = { readonly last: Candidate; readonly changes: readonly DeliveryChange[]; readonly now: Date }

async function moveOn(trx: Knex.Transaction, row: RecoveryRow, { last, changes, now }: Move): Promise<void> {
  const { id, webhook_id, company_id: companyId } = row
  if (changes.length > 0) {
    await writeChanges(trx, changes, now)
    const waiting = changes.map(({ after }) => ({
      ...{ id: after.id, webhook_id },
      in_temporal: after.isInTemporal ? 1 : 0,
    }))
    await enqueueCommands(trx, { companyId }, waiting.map(goOn))
    await trx('recovery_deliveries').insert(
      changes.map(({ after }) => ({
        recovery_id: id,
        delivery_id: after.id,
        attempts_before: after.attempts,
      })),
    )
  }
  await trx('recoveries')
    .where({ id })
    .update({ cursor_at: last.createdAt, cursor_id: last.id })
    .increment('queued', changes.length)
  const count = changes.length
  if (count > 0)
    await addToCounters(trx, [{ webhookId: webhook_id, changes: { failed: -count, retrying: count } }])
}
