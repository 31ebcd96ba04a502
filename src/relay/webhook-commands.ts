import type { ClaimedRow } from '../db/system/claims.js'
import { deleteCommand, renewRow } from '../db/system/leases.js'
import { closeDeliveries, listOpenDeliveryIds, unparkDeliveries } from '../db/system/open-deliveries.js'
import type { Deps } from '../deps.js'
import { cancelWorkflow } from './cancel-workflow.js'
import type { CommandContext } from './context.js'

/** Deliveries handled per page of a command that goes over a whole webhook. */
const PAGE = 500
const CANCELS_AT_ONCE = 20

/** Cancels the workflows of a deleted webhook's open deliveries and closes their rows, page by page. */
export async function cancelWebhook(context: CommandContext, row: ClaimedRow): Promise<void> {
  const { deps, owner, leaseMs } = context
  for (;;) {
    const ids = await listOpenDeliveryIds(deps.db, row.subjectId, PAGE)
    if (ids.length === 0) break
    for (let from = 0; from < ids.length; from += CANCELS_AT_ONCE) {
      await Promise.all(ids.slice(from, from + CANCELS_AT_ONCE).map((id) => cancelWorkflow(context, id)))
    }
    const closed = await closeDeliveries(deps.db, ids, 'webhook_deleted')
    logClosed(deps, row, closed.length)
    if (!(await renewRow(deps.db, row, owner, leaseMs))) return
  }
  await deleteCommand(deps.db, row, owner)
}

/** One line per page: a deleted webhook may leave a million deliveries. */
function logClosed({ log }: Deps, row: ClaimedRow, deliveries: number): void {
  if (deliveries === 0) return
  const ids = { webhook_id: row.subjectId, company_id: row.companyId }
  log.info({ ...ids, reason: 'webhook_deleted', deliveries }, 'deliveries failed')
}

/** Takes the parked deliveries of an activated webhook out of the park, page by page. */
export async function resumeWebhook(
  { deps, owner, leaseMs }: CommandContext,
  row: ClaimedRow,
): Promise<void> {
  while ((await unparkDeliveries(deps.db, row.subjectId, row.companyId, PAGE)) > 0) {
    if (!(await renewRow(deps.db, row, owner, leaseMs))) return
  }
  await deleteCommand(deps.db, row, owner)
}
