import { fileURLToPath } from 'node:url'
import { activityInfo } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { steadySeconds } from '../clock.mjs'

const TASK_QUEUE = 'bench-floor'
/** The same as in src/process/temporal/worker.ts. */
const WORKER_OPTIONS = {
  maxConcurrentWorkflowTaskExecutions: 200,
  maxConcurrentActivityTaskExecutions: 400,
  maxCachedWorkflows: 500,
  maxEagerActivityReservationsPerWorkflowTask: 1,
}
const WARM_UP_WORKFLOWS = 100

/**
 * Runs workflows with one activity that does nothing, or with none, started eagerly as the service starts its own.
 *
 * @param {{ address: string, seconds: number, inFlight: number,
 *   workflow: 'bareWorkflow' | 'emptyWorkflow' }} options address: of Temporal
 * @returns {Promise<{ count: number, total: number, perSecond: number, cpuSeconds: number }>} total: with the warm-up, which
 *   the servers did too; cpuSeconds: of this process, without it
 */
export async function runBareWorkflows({ address, seconds, inFlight, workflow }) {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const connection = await NativeConnection.connect({ address })
  const client = new Client({ connection })
  /** @type {Map<string, () => void>} */
  const done = new Map()
  const activities = {
    async nothing() {
      done.get(activityInfo().workflowExecution?.workflowId ?? '')?.()
    },
  }
  const fn = (/** @type {{ workflowId: string }} */ { workflowId }) => done.get(workflowId)?.()
  const sinks = { bench: { done: { fn } } }
  const workflowsPath = fileURLToPath(new URL('./workflow.mjs', import.meta.url))
  const options = { connection, taskQueue: TASK_QUEUE, workflowsPath, activities, sinks, ...WORKER_OPTIONS }
  const worker = await Worker.create(options)
  const running = worker.run()
  let started = 0
  /** @returns {Promise<() => Promise<unknown>>} once its activity, or itself, ran; the function waits for its end */
  const runOne = async () => {
    const workflowId = `floor-${started++}`
    const ran = new Promise((resolve) => done.set(workflowId, () => resolve(undefined)))
    const start = { taskQueue: TASK_QUEUE, workflowId, requestEagerStart: true }
    const handle = await client.workflow.start(workflow, start)
    await ran
    done.delete(workflowId)
    return () => handle.result()
  }
  const keepRunning = async (/** @type {() => boolean} */ goesOn) => {
    const loops = Array.from({ length: inFlight }, async () => {
      let ended = await runOne()
      while (goesOn()) ended = await runOne()
      await ended()
    })
    await Promise.all(loops)
  }
  await keepRunning(() => started < WARM_UP_WORKFLOWS)
  const [first, startedAt, before] = [started, steadySeconds(), process.cpuUsage()]
  await keepRunning(() => steadySeconds() - startedAt < seconds)
  const cpu = process.cpuUsage(before)
  const [count, elapsed] = [started - first, steadySeconds() - startedAt]
  worker.shutdown()
  await running
  await connection.close()
  return { count, total: started, perSecond: count / elapsed, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}
