import { fileURLToPath } from 'node:url'
import { activityInfo } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

const TASK_QUEUE = 'bench-floor'
/** The same as in src/process/temporal/worker.ts. */
const WORKER_OPTIONS = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentActivityTaskExecutions: 400,
  maxCachedWorkflows: 500,
  maxEagerActivityReservationsPerWorkflowTask: 1,
}

/**
 * Starts a worker. Returns a function that starts a workflow with one activity that does nothing, eagerly as the service starts its
 * own, and resolves once the activity ran.
 */
export async function startBareWorkflows(address: string): Promise<() => Promise<void>> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const connection = await NativeConnection.connect({ address })
  const client = new Client({ connection })
  const done = new Map<string, () => void>()
  const nothing = () => Promise.resolve(done.get(activityInfo().workflowExecution?.workflowId ?? '')?.())
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
    activities: { nothing },
    ...WORKER_OPTIONS,
  })
  void worker.run()
  let started = 0
  return async () => {
    const workflowId = `floor-${started++}`
    const ran = new Promise<void>((resolve) => done.set(workflowId, resolve))
    const options = { taskQueue: TASK_QUEUE, workflowId, requestEagerStart: true }
    await client.workflow.start('bareWorkflow', options)
    await ran
    done.delete(workflowId)
  }
}
