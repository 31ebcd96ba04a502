import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  DefaultLogger,
  MetricsBuffer,
  NativeConnection,
  Runtime,
  Worker,
  type LogEntry,
  type WorkerDeploymentOptions,
} from '@temporalio/worker'
import type { Config } from '../../config/index.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Log } from '../../deps/log.ts'
import { SdkMetrics } from './sdk-metrics.ts'
import {
  DELIVERY_FAILED,
  isFailureOf,
  RECOVERY_QUEUE,
  TASK_QUEUE,
  WORKFLOW_CODE,
  type Activities,
} from '../../workflows/contract.ts'

/** How many workflow tasks run at once, for a process on 2 cores. More deliveries need more processes. */
const WORKFLOW_SLOTS = 200
/** More than attempts and test events need (process/limits.ts): the rest is for short activities. */
const ACTIVITY_SLOTS = 400
const LOCAL_ACTIVITY_SLOTS = 200
/** How many rounds of recoveries run at once. A round takes at most 3 s; then another recovery has its turn. */
const RECOVERY_SLOTS = 8
/**
 * More than the attempts that run at once (process/limits.ts): the rest are deliveries between two attempts. A cached
 * run takes 0.1 MiB. A run that is not in the cache is replayed when its activity ends, which takes less than 10 ms. A
 * retry of the activity needs no replay.
 */
const CACHED_WORKFLOWS = 500
/** How long the next task of a run waits for the worker that has the run in its cache. Then any worker may take it. */
const STICKY_WAIT_MS = 5_000

/**
 * How many updates of metrics the SDK keeps at most until they are read. A delivery makes 24, so the buffer is enough
 * for several seconds in which the event loop of a busy worker stands still. Further updates are lost, and counted.
 */
const BUFFERED_UPDATES = 20_000

/** The logs of the workers of this process, by namespace. All workers of a process share one runtime of the SDK. */
const logs = new Map<string, Log>()
/** The metrics of the SDK's runtime, once it is installed. */
let installed: SdkMetrics | undefined

/**
 * Prepares the SDK before anything connects: its lines go to our log, and it leaves the process's signals to us. Call
 * it for each worker. A line that names no namespace goes to the log of the latest worker.
 *
 * @returns the SDK's metrics, for all workers of this process together
 */
export function installRuntime(log: Log, namespace: string): SdkMetrics {
  logs.delete(namespace)
  logs.set(namespace, log)
  // The SDK ends its runtime with the last connection, and makes the next runtime with these options by itself.
  if (installed) return installed
  const buffer = new MetricsBuffer({ maxBufferSize: BUFFERED_UPDATES, useSecondsForDurations: true })
  const metrics = new SdkMetrics(() => buffer.retrieveUpdates())
  installed = metrics
  Runtime.install({
    logger: temporalLogger(metrics),
    telemetryOptions: {
      // The lines of the SDK's core go to our log too; by default it writes them to stdout in its own format.
      logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } },
      metrics: { buffer },
    },
    shutdownSignals: [],
  })
  metrics.start()
  return metrics
}

/** Connects a worker to Temporal. Only a client on a native connection can start workflows eagerly. */
export const connectNatively = ({ temporal }: Config): Promise<NativeConnection> =>
  NativeConnection.connect(temporal.connectionOptions)

type WorkerParts = {
  readonly connection: NativeConnection
  readonly activities: Activities
  /** Where the bundle of the workflows is. Without a bundle there, the SDK makes a bundle from the sources. */
  readonly buildDir: string
}

/** A Temporal worker that is not started yet, with the workflows from the bundle and our activities. */
export async function createWorker(
  { config }: Deps,
  { connection, activities, buildDir }: WorkerParts,
): Promise<Worker> {
  const bundle = path.join(buildDir, 'workflow-bundle.js')
  return Worker.create({
    ...commonOptions(config),
    connection,
    taskQueue: TASK_QUEUE,
    activities,
    ...(existsSync(bundle)
      ? { workflowBundle: { codePath: bundle } }
      : { workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)) }),
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_SLOTS,
    maxConcurrentActivityTaskExecutions: ACTIVITY_SLOTS,
    maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITY_SLOTS,
    maxCachedWorkflows: CACHED_WORKFLOWS,
    stickyQueueScheduleToStartTimeout: STICKY_WAIT_MS,
    maxEagerActivityReservationsPerWorkflowTask: 1,
  })
}

/**
 * The worker for the rounds of recoveries, not started yet. It runs no workflows, so it needs neither a workflow thread
 * nor a cache. It shares the connection with the worker of createWorker.
 */
export async function createRecoveryWorker(
  { config }: Deps,
  { connection, activities }: Pick<WorkerParts, 'connection' | 'activities'>,
): Promise<Worker> {
  return Worker.create({
    ...commonOptions(config),
    connection,
    taskQueue: RECOVERY_QUEUE,
    activities: { recover: activities.recover },
    maxConcurrentActivityTaskExecutions: RECOVERY_SLOTS,
    maxConcurrentActivityTaskPolls: 2,
  })
}

/**
 * With a version, Temporal gives tasks only to the workers of the current version. Open runs move to the current version with
 * their next task, because a run may wait for days. This is safe, because the code can continue runs of former releases.
 */
const deploymentOptions = ({ workerDeployment: version }: Config): WorkerDeploymentOptions =>
  version === undefined
    ? { version: WORKFLOW_CODE, useWorkerVersioning: false }
    : { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' }

const commonOptions = (config: Config) => ({
  namespace: config.temporal.namespace,
  workerDeploymentOptions: deploymentOptions(config),
  shutdownGraceTime: config.shutdownGraceMs,
  // Longer than the process lives after a stop, so that the process, not the SDK, decides when to cut work short.
  shutdownForceTime: config.shutdownGraceMs + 60_000,
})

/**
 * The SDK's core logs this when Temporal gave up a workflow task while the first attempt was on the wire, and now hands
 * the task out again. The run goes on with the new task (temporal-load.ts), so this is no error.
 */
const GIVEN_UP = 'Trying to send a new WFT for a run which already has one!'

/** The SDK logs this for the worker of the recoveries, which has only activities. */
const WITHOUT_WORKFLOWS = 'No workflows registered, not polling for workflow tasks'

/** The SDK logs an error for each update of a metric that it lost. There may be thousands, so a metric counts them instead. */
const BUFFER_FULL = "Core's metrics buffer is full!"

/** Writes the SDK's log lines to our log, so that they are JSON and redacted too. */
function temporalLogger(metrics: SdkMetrics): DefaultLogger {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const
  return new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    if (message.startsWith(BUFFER_FULL)) {
      metrics.lose()
      return
    }
    const { error, namespace, workflowId, activityType } = (meta ?? {}) as Record<string, unknown>
    const target = logs.get(String(namespace)) ?? [...logs.values()].at(-1)
    // A delivery that failed for good is data: it is counted and listed, and warns no operator.
    const isData = isFailureOf(DELIVERY_FAILED, error)
    const isExpected = message === WITHOUT_WORKFLOWS || message === GIVEN_UP
    const facts = { err: error, workflow_id: workflowId, activity: activityType }
    target?.[isData || isExpected ? 'debug' : levels[level]](facts, message)
  })
}
