import { inTransaction } from '../db/connection/connection.ts'
import { giveTurns, listWaitingCompanies } from '../db/recovery/turns.ts'
import { restartForgottenRecoveries } from '../db/recovery/forgotten-recoveries.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { Job } from './upkeep.ts'

/** How many recoveries, and how many companies, one look is about. */
const PAGE = 1_000

/**
 * Wakes recoveries that have come no further for RECONCILE_AFTER, because their workflows may be lost. Starting one that runs
 * changes nothing. It also gives waiting recoveries the turns that are free.
 */
export const createLostRecoveries = (
  { db, config }: Pick<SystemDeps, 'db' | 'config'>,
  onQueued: () => void,
): Job => ({
  async look() {
    const recoveries = await restartForgottenRecoveries(db, config.reconcileAfterMs, PAGE)
    const companies = await listWaitingCompanies(db, PAGE)
    for (const companyId of companies) await inTransaction(db, (trx) => giveTurns(trx, companyId))
    if (recoveries + companies.length > 0) onQueued()
  },
})
