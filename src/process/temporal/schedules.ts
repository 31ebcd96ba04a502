import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client'
import { REGISTRATION_LIMIT_MS } from './client.ts'
import { PURGE_SCHEDULE_ID, TASK_QUEUE, WORKFLOW_TYPES } from '../../workflows/contract.ts'

/** Creates the schedule that removes old history every hour. An existing one stays as it is. */
export async function registerSchedules(temporal: Client): Promise<void> {
  try {
    await temporal.withDeadline(Date.now() + REGISTRATION_LIMIT_MS, () =>
      temporal.schedule.create({
        scheduleId: PURGE_SCHEDULE_ID,
        spec: { intervals: [{ every: '1h' }], jitter: '5m' },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1h' },
        action: {
          type: 'startWorkflow',
          workflowType: WORKFLOW_TYPES.purgeHistory,
          workflowId: PURGE_SCHEDULE_ID,
          taskQueue: TASK_QUEUE,
        },
      }),
    )
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}
