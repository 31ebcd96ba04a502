import { closeDeliveries, listOpenDeliveries } from '../db/delivery/open-deliveries.ts'
import { unparkDeliveries } from '../db/delivery/parked-deliveries.ts'
import type { ClaimedRow } from '../db/outbox/outbox.ts'
import { resumeWebhooks } from '../db/webhook/company-resumption.ts'
import type { Deps } from '../deps/deps.ts'
import { cancelWorkflow, LOCKED_PAUSE_MS, type RelayContext, again, DONE, type Verdict } from './context.ts'

/**
 * A command that pages through a whole webhook handles this many deliveries per claim. After each page the row goes
 * back into the outbox. So other rows are claimed in between, and a stopping worker need not wait for the last page. A
 * cancellation gets smaller pages, because it calls Temporal for each delivery. A resumption takes only a few
 * statements.
 */
const CANCELLED_PER_PAGE = 100
const RESUMED_PER_PAGE = 1_000
const CANCELS_AT_ONCE = 5
/** Pause before the command checks again whether the direct attempts under way are recorded. */
const SENDING_PAUSE_MS = 200

/**
 * Takes a page of a deleted webhook's open deliveries, cancels their workflows and closes their rows. A delivery
 * without a workflow may get a workflow in between, after a direct attempt. That run would wait for the next attempt.
 * So after the rows are closed, the relay cancels again for deliveries whose workflow it did not find. A run that
 * begins later reads the closed row and ends.
 */
export async function cancelWebhook(context: RelayContext, row: ClaimedRow): Promise<Verdict> {
  const { deps } = context
  const { ids, isSending } = await listOpenDeliveries(deps.db, row.targetId, CANCELLED_PER_PAGE)
  if (ids.length === 0) return isSending ? again(SENDING_PAUSE_MS) : DONE
  const { cancelled, missing } = await cancelWorkflows(context, ids)
  const { closed, lockedElsewhere } = await closeDeliveries(deps.db, cancelled, 'webhook_deleted')
  tellClosed(deps, row, closed)
  await cancelWorkflows(context, missing)
  const areAllLocked = lockedElsewhere > 0 && lockedElsewhere === cancelled.length
  return again(areAllLocked ? LOCKED_PAUSE_MS : 0)
}

/** @returns `cancelled`: all ids, or fewer if the worker has to stop. `missing`: the ids in `cancelled` without a workflow */
async function cancelWorkflows(
  context: RelayContext,
  ids: readonly string[],
): Promise<{ cancelled: string[]; missing: string[] }> {
  const cancelled: string[] = []
  const missing: string[] = []
  for (let from = 0; from < ids.length && !context.isStopping(); from += CANCELS_AT_ONCE) {
    const some = ids.slice(from, from + CANCELS_AT_ONCE)
    const found = await Promise.all(some.map((id) => cancelWorkflow(context, id)))
    cancelled.push(...some)
    missing.push(...some.filter((_, index) => !found[index]))
  }
  return { cancelled, missing }
}

/** Counts closed deliveries, and logs one line per page: a deleted webhook may leave a million deliveries. */
function tellClosed({ log, metrics }: Deps, row: ClaimedRow, deliveries: number): void {
  if (deliveries === 0) return
  metrics.countClosed({ companyId: row.companyId, reason: 'webhook_deleted' }, deliveries)
  const ids = { webhook_id: row.targetId, company_id: row.companyId }
  log.info({ ...ids, reason: 'webhook_deleted', deliveries }, 'deliveries failed')
}

/** Reads a page of an activated webhook's open deliveries, and unparks those that are parked. */
export async function resumeWebhook({ deps, walks }: RelayContext, row: ClaimedRow): Promise<Verdict> {
  const { position, hasLocked } = walks.of(row)
  const webhook = { webhookId: row.targetId, companyId: row.companyId }
  const { lockedElsewhere, next } = await unparkDeliveries(deps.db, webhook, {
    from: position,
    limit: RESUMED_PER_PAGE,
  })
  return walks.goOn(row, { position: next, hasLocked: hasLocked || lockedElsewhere > 0 })
}

/** One claim resumes at most this many webhooks. Each takes a small transaction. */
const WEBHOOKS_PER_PAGE = 100

/**
 * Resumes a page of the active webhooks of a company that is no longer suspended. Each webhook gets its own command,
 * which unparks its deliveries. If another worker takes the command over, that worker begins with the first page. A
 * second command for a webhook does no harm.
 */
export async function resumeWebhooksOf(context: RelayContext, row: ClaimedRow): Promise<Verdict> {
  const { deps, companyWalks } = context
  const { position: after } = companyWalks.of(row)
  const position = await resumeWebhooks(deps.db, row.targetId, { after, limit: WEBHOOKS_PER_PAGE })
  return companyWalks.goOn(row, { position, hasLocked: false })
}
