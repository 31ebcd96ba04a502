import { readGateRows, type GateRows } from '../../db/delivery/gate-rows.ts'
import { isOpen } from '../../domain/delivery/delivery.ts'
import { SIGNALS } from '../../workflows/contract.ts'
import { cancelWorkflow, type RelayContext } from '../context.ts'
import { signalWithStart } from '../delivery-commands.ts'

/**
 * Carries out a `handover` row: starts the workflow that goes on after a direct attempt that failed. A delivery that failed
 * for good gets one too, which ends as failed, so that operators find it. One that succeeded meanwhile needs none.
 */
export async function goOnInWorkflow(context: RelayContext, rows: GateRows | undefined): Promise<void> {
  if (!rows || rows.delivery.status === 'success') return
  await signalWithStart(context, rows, SIGNALS.resume, [])
  if (isOpen(rows.delivery)) await cancelIfDeletedMeanwhile(context, rows.delivery.id)
}

/**
 * A run that begins with an open delivery waits for its next attempt. When the webhook was deleted while Temporal started
 * the run, the deletion found no workflow to cancel.
 */
async function cancelIfDeletedMeanwhile(context: RelayContext, deliveryId: string): Promise<void> {
  const rows = await readGateRows(context.deps.db, deliveryId)
  const isClosed = rows === undefined || !isOpen(rows.delivery)
  if (isClosed && rows?.webhook.isDeleted !== false) await cancelWorkflow(context, deliveryId)
}
