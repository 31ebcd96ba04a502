import { fileURLToPath } from 'node:url'
import { activityInfo } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { FloorResult } from '../floors.ts'
import { steadySeconds } from '../requests.ts'
import { clocked } from './programs.ts'

const TASK_QUEUE = 'bench-floor'
/** The same as in src/process/temporal/worker.ts. */
const WORKER_OPTIONS = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentActivityTaskExecutions: 400,
  maxCachedWorkflows: 500,
  maxEagerActivityReservationsPerWorkflowTask: 1,
}
const WARM_UP_WORKFLOWS = 100

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
  /** Resolves once its activity ran; the function waits for its end. */
  const runOne = async () => {
    const workflowId = `floor-${started++}`
    const ran = new Promise<void>((resolve) => done.set(workflowId, resolve))
    const handle = await client.workflow.start('bareWorkflow', {
      taskQueue: TASK_QUEUE,
      workflowId,
      requestEagerStart: true,
    })
    await ran
    done.delete(workflowId)
    return () => handle.result()
  }
  const keepRunning = async (goesOn: () => boolean) => {
    const loops = Array.from({ length: inFlight }, async () => {
      let ended = await runOne()
      while (goesOn()) ended = await runOne()
      await ended()
    })
    await Promise.all(loops)
  }
  await keepRunning(() => started < WARM_UP_WORKFLOWS)
  const result = await clocked(async () => {
    const [first, startedAt] = [started, steadySeconds()]
    await keepRunning(() => steadySeconds() - startedAt < seconds)
    return { count: started - first, total: started }
  })
  worker.shutdown()
  await running
  await connection.close()
  return result
}
