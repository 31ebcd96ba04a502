import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import {
  type Activities,
  PROGRESS_QUERY,
  RECOVERY_QUEUE,
  SIGNALS,
  type RecoverWebhookInput,
  type RecoveryProgress,
} from './contract.ts'
import { recoveryDetails } from './current-details.ts'

const resume = defineSignal(SIGNALS.resume)
const progressQuery = defineQuery<RecoveryProgress>(PROGRESS_QUERY)

const { recover } = proxyActivities<Pick<Activities, 'recover'>>({
  taskQueue: RECOVERY_QUEUE,
  startToCloseTimeout: '1m',
  // A worker that dies during a round is noticed after this time, and another one goes on.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
})

/** After this many pages of one run a new run continues, so that the history of each run stays short. */
const PAGES_PER_RUN = 1_000
/** The longest wait for a wake-up from the recorder. After it a new round begins, because the wake-up may be lost. */
const LONGEST_WAIT_MS = 60_000
/** The pause in runs that release 0.2.0 began. The replay of their histories needs it. */
const FORMER_PAUSE_MS = 2_000

/**
 * Carries out one recovery, round by round, until its row is no longer in the state `running`. The row says how far the recovery
 * has come. If a run is lost, the reconciler starts another run, which continues from there. A recovery that is queued again gets
 * a new run when its turn comes.
 */
export async function recoverWebhook(input: RecoverWebhookInput): Promise<RecoveryProgress> {
  const { recoveryId } = input
  let { progress } = input
  let wakeUps = 0
  let served = 0
  setHandler(resume, () => {
    wakeUps += 1
  })
  setHandler(progressQuery, () => progress)
  let pages = 0
  setCurrentDetails(recoveryDetails(progress))
  // If a wake-up came, a queued recovery may have got its turn after the latest round read the row.
  while (progress.status === 'running' || (progress.status === 'queued' && wakeUps > served)) {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof recoverWebhook>({ recoveryId, progress })
    }
    served = wakeUps
    const summary = `queue more deliveries, ${progress.queued} so far`
    const report = await recover.executeWithOptions({ summary }, [{ recoveryId }])
    progress = report.progress
    setCurrentDetails(recoveryDetails(progress))
    pages += report.pages
    if (progress.status !== 'running' || (report.isMore ?? report.pages > 0)) continue
    if (patched('recovery-wake-ups'))
      await condition(() => wakeUps > served, LONGEST_WAIT_MS, { summary: 'wait for attempts, or a probe' })
    else await sleep(FORMER_PAUSE_MS)
  }
  return progress
}
