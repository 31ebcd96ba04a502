import type { ClaimedRow } from '../db/system/claims.ts'
import { resumeWebhooks } from '../db/system/company-resumption.ts'
import { deleteCommand, putBackRow } from '../db/system/outbox-rows.ts'
import type { CommandContext } from './context.ts'

/** Webhooks resumed per claim. Each is a small transaction. */
const RESUMED_PER_PAGE = 100

/**
 * Resumes a page of the active webhooks of a company that is no longer suspended: each gets a command of its own, which
 * unparks its deliveries. A worker that takes over begins again, which repeats what may be repeated.
 */
export async function resumeCompany(
  { deps, owner, companyWalks }: CommandContext,
  row: ClaimedRow,
): Promise<void> {
  const { position: after } = companyWalks.of(row)
  const position = await resumeWebhooks(deps.db, row.targetId, { after, limit: RESUMED_PER_PAGE })
  if (position !== undefined) {
    companyWalks.goOn(row, { position, hasHeld: false })
    return putBackRow(deps.db, row, owner)
  }
  companyWalks.end(row)
  await deleteCommand(deps.db, row, owner)
}
