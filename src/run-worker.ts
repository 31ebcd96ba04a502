import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Client } from '@temporalio/client'
import { createActivities } from './activities/index.ts'
import { createAttemptParts } from './attempts/attempt-parts.ts'
import { workerWarnings } from './config/warnings.ts'
import { waitFor, waitForDatabase, type RunOptions } from './process/boot.ts'
import { databaseChecks, createReadiness, startHealthServer } from './process/health.ts'
import { buildDeps, closeDatabase } from './deps/deps.ts'
import { withTraces } from './deps/traces.ts'
import { listenForRings } from './deps/doorbell.ts'
import { readFileLimit, fitWorkerRoom } from './process/limits.ts'
import { startHeartbeat } from './process/heartbeat.ts'
import { endWithin } from './process/run-process.ts'
import { readServerVersion } from './process/temporal/client.ts'
import { LocalAttempts, TemporalPace } from './attempts/temporal-load.ts'
import { Registration } from './process/temporal/registration.ts'
import {
  connectNatively,
  createRecoveryWorker,
  createWorker,
  installRuntime,
} from './process/temporal/worker.ts'
import { Relay } from './relay/relay.ts'
import { listJobs } from './upkeep/jobs.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import { attemptTimes } from './workflows/contract.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Runs a worker in this process: activities, relay and upkeep. Resolves once it takes work. */
export async function runWorker(options: RunOptions) {
  const parts = await connect(options)
  options.onBooted?.()
  return startWork(parts, options.buildDir ?? HERE)
}

/** Connects to Temporal and the database, once both are ready. */
async function connect({ config, log }: RunOptions) {
  const { room, warnings } = fitWorkerRoom(readFileLimit())
  for (const warning of [...workerWarnings(config), ...warnings]) log.warn(warning)
  const { namespace } = config.temporal
  const sdkMetrics = installRuntime(log, namespace)
  const connection = await waitFor('Temporal', log, () => connectNatively(config))
  const client = new Client({ connection, namespace })
  const id = `wrk_${randomUUID()}`
  const deps = await withTraces(buildDeps(config, 'worker', client, log), 'worker', id)
  await waitForDatabase(deps)
  await deps.databaseClock.start()
  const registration = new Registration({ connection, client, namespace, log })
  await waitFor('Temporal', log, () => registration.prepare())
  return { id, deps, room, connection, registration, sdkMetrics }
}

async function startWork(
  { id, deps, room, connection, registration, sdkMetrics }: Awaited<ReturnType<typeof connect>>,
  buildDir: string,
) {
  const { config, log } = deps
  const heartbeat = await startHeartbeat(deps, { id, address: config.workerAddress })
  const parts = createAttemptParts(deps, { liveWorkers: heartbeat.liveWorkers, room })
  const { attempts, attemptLog, limits, stats, recorder, slots, resolver, egress, sender } = parts
  heartbeat.onBeat(() => {
    recorder.heal()
    deps.metrics.failingEndpoints.set(limits.failingCount)
  })
  deps.metrics.attemptRoom.set(room.attempts)
  const pace = new TemporalPace()
  const local = new LocalAttempts()
  const activities = createActivities(deps, attempts, { pace, local })
  const workers = [
    await createWorker(deps, { connection, activities, buildDir }),
    await createRecoveryWorker(deps, { connection, activities }),
  ]
  const readiness = createReadiness({
    ...databaseChecks(deps.db, deps.databaseClock),
    temporal: async () => (await readServerVersion(deps.temporal, 2_000)) !== undefined,
    worker: () => Promise.resolve(workers.every((worker) => worker.getState() === 'RUNNING')),
    resolver: () => Promise.resolve(resolver.isUp()),
    egress: () => Promise.resolve(egress.isUp()),
  })
  const health = await startHealthServer(
    { host: config.workerHost, port: config.workerPort },
    { readiness, registry: sdkMetrics.beside(deps.metrics.registry), metricsToken: config.metricsToken },
  )
  const working = workers.map((worker) => worker.run())
  const relay = new Relay(deps, {
    owner: id,
    leaseMs: attemptTimes(config).startToCloseMs,
    slots,
    limits,
    attempts,
    pace,
    local,
    isDirect: config.deliveryFirstAttempt === 'direct',
    isPaused: () => recorder.isStuck(),
    searchAttributes: () => registration.searchAttributes(),
    onRefused: () => void registration.look(),
  })
  relay.start()
  const bell = await listenForRings(config.workerHost, config.workerPort, {
    secretsKeys: config.secretsKeys,
    onRing: (hints) => relay.ring(hints),
    onDropped: (reason) => deps.metrics.ringsDropped.inc({ reason }),
  })
  const series = listJobs(deps, {
    owner: id,
    prepareTemporal: () => registration.prepareOrWarn(),
    onQueued: () => relay.ring(),
    writeStats: () => stats.flush(),
    sender,
  })
  const upkeep = new Upkeep(deps, { owner: id, series })
  upkeep.start()
  log.info({ worker_id: id }, 'worker started')
  return {
    /** Settles when a Temporal worker has ended, by itself or after `stop`. */
    ended: Promise.race(working),
    stop,
  }

  /**
   * Stops taking work. Resolves when the running work has ended and everything is closed, or when the grace period
   * ends. In that case the remaining work keeps its connections until the work or the process ends.
   */
  async function stop(reason: string): Promise<void> {
    log.info({ reason }, 'worker stops: no new deliveries, running attempts may end')
    readiness.drain()
    bell.close()
    const finished = finish()
    const ending = await endWithin(config.shutdownGraceMs, log, finished)
    if (ending === 'cut') await relay.cut().catch(() => undefined)
    attemptLog.stop()
    deps.databaseClock.stop()
    await heartbeat.stop()
    deps.doorbell.close()
    deps.feedBell.close()
    health.close()
    health.closeAllConnections()
    const closed = finished.then(closeConnections)
    // If the grace period ended first, the remaining work still uses the connections. So do not wait for them to close.
    await (ending === 'done' ? closed : void closed.catch(() => undefined))
  }

  async function finish(): Promise<void> {
    // Shut the Temporal workers down first: while the relay waits for its attempts, Temporal would hand out new ones.
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
    await Promise.all([upkeep.stop(), relay.stop()])
    await Promise.all(working)
    await upkeep.stopLast()
    await sender.close()
  }

  async function closeConnections(): Promise<void> {
    await deps.traces?.stop()
    await closeDatabase(deps)
    await connection.close()
  }
}
