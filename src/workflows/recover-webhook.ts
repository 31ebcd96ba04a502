import {
  continueAsNew,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import {
  PROGRESS_QUERY,
  RECOVERY_QUEUE,
  type RecoverWebhookInput,
  type RecoveryProgress,
} from './contract.ts'
import { recoveryDetails } from './recovery-details.ts'

const progressQuery = defineQuery<RecoveryProgress>(PROGRESS_QUERY)

const { recover } = proxyActivities<Pick<Activities, 'recover'>>({
  taskQueue: RECOVERY_QUEUE,
  startToCloseTimeout: '1m',
  // A worker that dies during a round is noticed after this time, and another one goes on.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
})

/** Pages of one run; the next run goes on after them, so that no history grows for long. */
const PAGES_PER_RUN = 1_000
const FIRST_PAUSE_MS = 500
/**
 * The longest pause after rounds that queued nothing: while attempts are under way, and while the webhook is inactive or its
 * company suspended.
 */
const LONGEST_PAUSE_MS = 2_000
const LONGEST_WAIT_MS = 30_000

/**
 * One recovery, round by round, until its row is no longer running. The row has the place and the result: a run that is
 * lost is started again, and goes on where the row says.
 */
export async function recoverWebhook(input: RecoverWebhookInput): Promise<RecoveryProgress> {
  const { recoveryId } = input
  let { progress } = input
  setHandler(progressQuery, () => progress)
  let pages = 0
  let idleRounds = 0
  setCurrentDetails(recoveryDetails(progress))
  while (progress.status === 'running') {
    if (pages >= PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof recoverWebhook>({ recoveryId, progress })
    }
    const summary = `queue more deliveries, ${progress.queued} so far`
    const report = await recover.executeWithOptions({ summary }, [{ recoveryId }])
    progress = report.progress
    setCurrentDetails(recoveryDetails(progress))
    pages += report.pages
    idleRounds = report.pages > 0 ? 0 : idleRounds + 1
    if (progress.status === 'running' && idleRounds > 0) await pause(progress, idleRounds)
  }
  return progress
}

async function pause({ isWaiting }: RecoveryProgress, idleRounds: number): Promise<void> {
  const longestMs = isWaiting ? LONGEST_WAIT_MS : LONGEST_PAUSE_MS
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (idleRounds - 1), longestMs)
  const what = isWaiting
    ? 'the webhook is inactive or its company suspended'
    : 'as many as may be are under way'
  await sleep(pauseMs, { summary: `wait: ${what}` })
}
