import { restartForgottenRecoveries } from '../db/recovery/wakes.ts'
import { giveTurnsIfFree, listWaitingCompanies } from '../db/recovery/turns.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { HttpSender } from '../sending/http-sender.ts'
import { BacklogLimit } from './backlog-limit.ts'
import { createChannels } from './channel-sender.ts'
import { DeliveryFigures } from './delivery-figures.ts'
import { FailingEndpoints } from './failing-endpoints.ts'
import { createMailer, createMails } from './mail-sender.ts'
import { NoticeMaker } from './notice-maker.ts'
import { createNotices } from './notice-sender.ts'
import { Reconciler } from './reconciler.ts'
import type { Job, Series } from './upkeep.ts'

/** How often a worker writes its statistics. A killed worker loses at most the statistics of this time. */
const WRITE_STATS_EVERY_MS = 5_000
/** How often a worker looks for due mails and due messages to channels. */
const MESSAGES_EVERY_MS = 1_000
/** The time between two rounds of the reconciler, or of notices, is RECONCILE_AFTER, but within these limits. */
const LONGEST_INTERVAL_MS = 60_000
const SHORTEST_INTERVAL_MS = 200

type ReconcilerParts = {
  /**
   * Registers the namespace, search attributes and schedules that Temporal lacks, for example after its server has lost
   * its store.
   */
  readonly prepareTemporal: () => Promise<void>
  /** Called when a job has queued rows in the outbox. */
  readonly onQueued: () => void
}

type Parts = ReconcilerParts & {
  readonly owner: string
  /** Writes the statistics of attempts that this worker has added up. Never throws. */
  readonly writeStats: () => Promise<void>
  /** Sends to addresses that customers chose. */
  readonly sender: HttpSender
}

/** The one list of a worker's periodic jobs. upkeep.ts explains how they run. */
export function listJobs(deps: SystemDeps, { owner, writeStats, sender, ...parts }: Parts): Series[] {
  const mailer = createMailer(deps.config)
  const intervalMs = roundsEveryMs(deps)
  return [
    {
      name: 'statistics',
      intervalMs: WRITE_STATS_EVERY_MS,
      ofEach: [{ look: writeStats, close: writeStats }],
      isLast: true,
    },
    listReconciler(deps, parts),
    {
      name: 'messages',
      intervalMs: MESSAGES_EVERY_MS,
      ofEach: [createMails(deps, mailer), createChannels(deps, { sender, mailer })],
    },
    { name: 'notices', intervalMs, ofEach: [createNotices(deps, owner, intervalMs)] },
  ]
}

/** The series that docs/operating calls the reconciler, with all jobs of its leader. */
export function listReconciler(deps: SystemDeps, { prepareTemporal, onQueued }: ReconcilerParts): Series {
  const reconciler = new Reconciler(deps, onQueued)
  return {
    name: 'reconciler',
    intervalMs: roundsEveryMs(deps),
    // Every worker registers, because each remembers by itself which search attributes Temporal knows.
    ofEach: [{ look: prepareTemporal }],
    ofLeader: [
      ...reconciler.jobs(),
      createLostRecoveries(deps, onQueued),
      new BacklogLimit(deps, new DeliveryFigures(deps)),
      new FailingEndpoints(deps),
      new NoticeMaker(deps),
    ],
  }
}

const roundsEveryMs = ({ config }: Pick<SystemDeps, 'config'>): number =>
  Math.min(LONGEST_INTERVAL_MS, Math.max(config.reconcileAfterMs, SHORTEST_INTERVAL_MS))

/** One look reads at most this many recoveries, and at most this many companies. */
const RECOVERY_PAGE = 1_000

/**
 * Wakes recoveries that made no progress for RECONCILE_AFTER, because their workflows may be lost. A wake-up does no
 * harm if the workflow still runs. The job also gives free turns to waiting recoveries.
 */
const createLostRecoveries = ({ db, config }: SystemDeps, onQueued: () => void): Job => ({
  async look() {
    const recoveries = await restartForgottenRecoveries(db, config.reconcileAfterMs, RECOVERY_PAGE)
    const companies = await listWaitingCompanies(db, RECOVERY_PAGE)
    for (const companyId of companies) await giveTurnsIfFree(db, companyId)
    if (recoveries + companies.length > 0) onQueued()
  },
})
