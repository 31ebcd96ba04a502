import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Client } from '@temporalio/client'
import type { NativeConnection } from '@temporalio/worker'
import { Attempts } from './attempts/attempt-delivery.ts'
import { AttemptLog } from './attempts/attempt-log.ts'
import { AttemptStats } from './attempts/attempt-stats.ts'
import { createHostResolver, type HostResolver } from './sending/host-resolver.ts'
import { HttpSender } from './sending/http-sender.ts'
import { OperatorPost } from './sending/operator-post.ts'
import { createActivities } from './activities/index.ts'
import { EndpointLimits } from './attempts/endpoint-limits.ts'
import { Recorder } from './attempts/recorder.ts'
import { Slots } from './attempts/slots.ts'
import {
  configOrExit,
  endWithin,
  listenForStop,
  runProcess,
  waitFor,
  waitForDatabase,
} from './process/boot.ts'
import type { Config } from './config/index.ts'
import { checkCaFile } from './config/files.ts'
import { workerWarnings } from './config/warnings.ts'
import { isAnswering, isWritable } from './db/connection/connection.ts'
import { isMigrated } from './db/schema.ts'
import { buildDeps, type Deps } from './process/deps.ts'
import { listenForRings } from './process/doorbell.ts'
import { readFileLimit } from './process/file-limit.ts'
import { createReadiness, startHealthServer } from './process/health.ts'
import { startHeartbeat } from './process/heartbeat.ts'
import { createLog } from './process/log.ts'
import { startTicker } from './process/ticker.ts'
import { createFirstAttempts } from './relay/first-attempts.ts'
import { createReconciler } from './relay/reconciler.ts'
import { Relay } from './relay/relay.ts'
import { NoticeSender } from './notices/notice-sender.ts'
import { Registration } from './process/temporal/registration.ts'
import { isTemporalUp } from './process/temporal/client.ts'
import { connectNatively, createWorker, installRuntime } from './process/temporal/worker.ts'
import { fitWorkerRoom, type WorkerRoom } from './process/worker-room.ts'
import { attemptTimes } from './workflows/contract.ts'

/** Test events of one webhook on the wire at once, in this process. */
const TESTS_PER_WEBHOOK = 2
const CONNECT_TIMEOUT_MS = 5_000
/** For one batch of notices to NOTICE_URL. */
const NOTICE_TIMEOUT_MS = 10_000
/** A worker that is killed loses the statistics of this time at most. */
const WRITE_STATS_EVERY_MS = 5_000

const config = configOrExit(checkCaFile)
const log = createLog('worker', config.logLevel)

/** The worker process: activities, relay and reconciler around one Temporal worker, until it is told to stop. */
runProcess(log, async () => {
  const id = `wrk_${randomUUID()}`
  const stop = listenForStop(log)
  const { room, warnings } = fitWorkerRoom(readFileLimit())
  for (const warning of [...workerWarnings(config), ...warnings]) log.warn(warning)
  installRuntime(log)
  const connection = await waitFor('Temporal', log, () => connectNatively(config))
  const client = new Client({ connection, namespace: config.temporal.namespace })
  const deps = buildDeps(config, 'worker', client)
  await waitForDatabase(deps)
  const { namespace } = config.temporal
  const registration = new Registration({ connection, client, namespace, log })
  await waitFor('Temporal', log, () => registration.prepare())
  stop.booted()
  const ending = await run({ id, deps, room, connection, registration }, stop.stopped)
  // Work that is still under way uses the connections; the end of the process closes them.
  if (ending === 'cut') return
  await Promise.all([deps.db.destroy(), deps.batchDb.destroy()])
  await connection.close()
})

type Parts = {
  readonly id: string
  readonly deps: Deps
  readonly room: WorkerRoom
  readonly connection: NativeConnection
  readonly registration: Registration
}

async function run(
  { id, deps, room, connection, registration }: Parts,
  stopped: Promise<NodeJS.Signals>,
): Promise<'done' | 'cut'> {
  const heartbeat = await startHeartbeat(deps, { id, address: config.workerAddress })
  const attemptLog = new AttemptLog(log)
  const liveWorkers = () => heartbeat.liveWorkers()
  const limits = new EndpointLimits(deps, { liveWorkers, nowMs: () => performance.now() })
  const stats = new AttemptStats(deps)
  const recorder = new Recorder(deps, { attemptLog, limits, stats })
  heartbeat.onBeat(() => {
    recorder.heal()
    deps.metrics.failingEndpoints.set(limits.failing)
  })
  deps.metrics.attemptRoom.set(room.attempts)
  const slots = new Slots({
    limit: () => Math.max(1, Math.floor(config.webhookConcurrency / liveWorkers())),
    capacity: room.attempts,
    now: () => performance.now(),
  })
  const testSlots = new Slots({
    limit: () => TESTS_PER_WEBHOOK,
    capacity: room.tests,
    now: () => performance.now(),
  })
  const resolver = createHostResolver()
  const sender = createSender(config, resolver, room.idleConnections)
  const { startToCloseMs } = attemptTimes(config)
  const attempts = new Attempts(deps, { sender, recorder, attemptLog, slots, limits, testSlots })
  const worker = await createWorker(deps, connection, createActivities(deps, attempts))

  const readiness = createReadiness({
    database: () => isAnswering(deps.db),
    database_writable: () => isWritable(deps.db),
    migrations: () => isMigrated(deps.db),
    temporal: () => isTemporalUp(deps.temporal, 2_000),
    worker: () => Promise.resolve(worker.getState() === 'RUNNING'),
    resolver: () => Promise.resolve(resolver.isUp()),
  })
  const health = await startHealthServer(
    { host: config.workerHost, port: config.workerPort },
    { readiness, registry: deps.metrics.registry, metricsToken: config.metricsToken },
  )
  const working = worker.run()
  const relay = new Relay(deps, {
    owner: id,
    leaseMs: startToCloseMs,
    slots,
    limits,
    attempts,
    firstAttempts: createFirstAttempts(deps, { liveWorkers }),
    isPaused: () => recorder.isStuck(),
    searchAttributes: () => registration.searchAttributes(),
  })
  relay.start()
  const bell = await listenForRings(config.workerHost, config.workerPort, (hints) => relay.ring(hints))
  const reconciler = createReconciler(deps, {
    owner: id,
    prepareTemporal: () => registration.prepare(),
    onQueued: () => relay.ring(),
  })
  const stopStats = startTicker(WRITE_STATS_EVERY_MS, () => stats.flush())
  const stopReconciler = startTicker(reconciler.intervalMs, () => reconciler.run())
  const stopNotices = startNotices(deps, id, reconciler.intervalMs)
  log.info({ worker_id: id }, 'worker started')

  const reason = await Promise.race([stopped, working.then(() => 'the Temporal worker ended')])
  log.info({ reason }, 'worker stops: no new deliveries, running attempts may end')
  readiness.drain()
  bell.close()
  const finish = async () => {
    reconciler.stop()
    await Promise.all([stopReconciler(), stopNotices(), relay.stop()])
    if (worker.getState() === 'RUNNING') worker.shutdown()
    await working
    await stopStats()
    await stats.flush()
    await sender.close()
  }
  const ending = await endWithin(config.shutdownGraceMs, log, finish())
  if (ending === 'cut') await relay.cut().catch(() => undefined)
  attemptLog.stop()
  await heartbeat.stop()
  deps.doorbell.close()
  health.close()
  health.closeAllConnections()
  return ending
}

/** Sends notices beside everything else: an operator's address that hangs delays nothing. @returns ends it */
function startNotices(deps: Deps, owner: string, intervalMs: number): () => Promise<void> {
  const post = new OperatorPost({ timeoutMs: NOTICE_TIMEOUT_MS, ca: readCa(deps.config) })
  const sender = new NoticeSender(deps, { owner, leaseMs: 1.5 * intervalMs + NOTICE_TIMEOUT_MS, post })
  const stopTicker = startTicker(intervalMs, () => sender.run())
  return async () => {
    sender.stop()
    await stopTicker()
    await post.close()
  }
}

const readCa = ({ webhookCaFile }: Config): string | undefined =>
  webhookCaFile === undefined ? undefined : readFileSync(webhookCaFile, 'utf8')

function createSender(config: Config, resolver: HostResolver, maximumIdle: number) {
  const { webhookTimeoutMs, webhookAllowedNetworks } = config
  return new HttpSender({
    timeoutMs: webhookTimeoutMs,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, webhookTimeoutMs),
    allowedNetworks: webhookAllowedNetworks,
    resolver,
    maximumIdle,
    ca: readCa(config),
  })
}
