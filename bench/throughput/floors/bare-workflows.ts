import { fileURLToPath } from 'node:url'
import { activityInfo } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { FloorResult } from '../floors.ts'
import { clocked, goRound } from './programs.ts'

const TASK_QUEUE = 'bench-floor'
/** The same as in src/process/temporal/worker.ts. */
const WORKER_OPTIONS = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentActivityTaskExecutions: 400,
  maxCachedWorkflows: 500,
  maxEagerActivityReservationsPerWorkflowTask: 1,
}
const WARM_UP_SECONDS = 2

export type BareWorkflows = {
  readonly address: string
  readonly seconds: number
  readonly inFlight: number
}

/** Runs workflows with one activity that does nothing, started eagerly as the service starts its own. */
export async function runBareWorkflows({ address, seconds, inFlight }: BareWorkflows): Promise<FloorResult> {
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
  const running = worker.run()
  let started = 0
  /** Resolves once its activity ran. */
  const runOne = async () => {
    const workflowId = `floor-${started++}`
    const ran = new Promise<void>((resolve) => done.set(workflowId, resolve))
    const options = { taskQueue: TASK_QUEUE, workflowId, requestEagerStart: true }
    await client.workflow.start('bareWorkflow', options)
    await ran
    done.delete(workflowId)
  }
  const loops = Array.from({ length: inFlight }, () => runOne)
  await goRound(loops, WARM_UP_SECONDS)
  const result = await clocked(() => goRound(loops, seconds))
  worker.shutdown()
  await running
  await connection.close()
  return { ...result, total: started }
}
