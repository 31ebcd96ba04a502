import type { Config } from '../config/index.ts'
import type { SystemDeps } from '../deps/deps.ts'
import type { Log } from '../deps/log.ts'
import { measureOutbox } from '../db/outbox/figures.ts'
import { LineInterval } from '../domain/line-interval.ts'
import type { KeyRing } from '../domain/sealing/sealing.ts'
import type { LiveWorker } from '../domain/status.ts'
import { listLiveWorkers, recordHeartbeat, removeWorker } from '../db/workers.ts'
import {
  differingSettings,
  fingerprintSettings,
  type SharedSettings,
} from '../domain/sealing/settings-fingerprint.ts'
import { startTicker } from '../deps/ticker.ts'
import { VERSION } from '../deps/version.ts'
import { readWebhookCa } from '../deps/webhook-ca.ts'

export type Heartbeat = Awaited<ReturnType<typeof startHeartbeat>>

const INTERVAL_MS = 2_000
/** How many beats pass from one measurement of the outbox to the next. */
const MEASURE_EVERY = 5
/** How often the log says that no beat can be written. */
const LINE_EVERY_MS = 30_000

/**
 * Writes every 2 seconds that this worker lives, and which settings it has. Also counts the live workers, and warns
 * when another worker has other settings. Resolves after the first beat.
 *
 * @param intervalMs shorter in tests
 */
export async function startHeartbeat(
  deps: SystemDeps,
  worker: { id: string; address: string },
  intervalMs = INTERVAL_MS,
) {
  const { config, db, log, metrics } = deps
  const shared = sharedSettings(config)
  const settings = fingerprintSettings(config.secretsKeys, shared)
  const compare = createComparison(config.secretsKeys, shared, log)
  let live = 1
  let beats = 0
  const listeners: (() => void)[] = []
  const lines = new LineInterval(LINE_EVERY_MS)

  async function beat(): Promise<void> {
    await recordHeartbeat(db, { ...worker, version: VERSION, settings })
    lines.reset()
    const workers = await listLiveWorkers(db)
    live = Math.max(1, workers.length)
    compare(workers)
    for (const listener of listeners) listener()
    if (beats++ % MEASURE_EVERY !== 0) return
    const { pending, oldestSeconds } = await measureOutbox(db)
    metrics.outboxPending.set(pending)
    metrics.outboxOldestSeconds.set(oldestSeconds)
  }

  await beat()
  const stopTicker = startTicker(intervalMs, () =>
    beat().catch((error: unknown) => {
      if (lines.admit(performance.now()) === undefined) return
      log.warn({ err: error }, 'the heartbeat could not be written')
    }),
  )
  return {
    /** How many workers live now, this one included; at least 1. */
    liveWorkers: () => live,
    /** @param listener called after each heartbeat that was written */
    onBeat: (listener: () => void) => void listeners.push(listener),
    async stop(): Promise<void> {
      await stopTicker()
      await removeWorker(db, worker.id).catch(() => undefined)
    },
  }
}

/**
 * The settings that all workers must share, because any of them may make the next attempt, record it or clean up after
 * it. The ids of SECRETS_KEYS are enough, because each key had to open the database's canary for its id at boot.
 */
function sharedSettings(config: Config): SharedSettings {
  return {
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    SECRETS_KEYS: [...config.secretsKeys.keys.keys()].sort(),
    WEBHOOK_ALLOWED_NETWORKS: config.webhookAllowedNetworks.map((network) => JSON.stringify(network)).sort(),
    WEBHOOK_CA_FILE: readWebhookCa(config)?.trim() ?? null,
    EGRESS_PROXY: config.egressProxy ?? null,
    WEBHOOK_RETRY_SCHEDULE: config.webhookRetryScheduleMs,
    WEBHOOK_TIMEOUT: config.webhookTimeoutMs,
    RECORDING_TIMEOUT: config.recordingTimeoutMs,
    WEBHOOK_CONCURRENCY: config.webhookConcurrency,
    WEBHOOK_BACKLOG: config.webhookBacklog,
    ENDPOINT_DISABLE_AFTER: config.endpointDisableAfterMs,
    NOTICE_URL: config.noticeTarget?.url ?? null,
    NOTICE_SECRET: config.noticeTarget?.secret ?? null,
    SMTP_URL: config.mailServer?.url ?? null,
    SMTP_FROM: config.mailServer?.from ?? null,
    RECONCILE_AFTER: config.reconcileAfterMs,
    RETENTION_DAYS: config.retentionDays,
    AUDIT_RETENTION_DAYS: config.auditRetentionDays,
  }
}

/**
 * Compares this worker's settings with those of all live workers, and logs what differs, one line for each change. A
 * worker without a fingerprint runs another release, and its settings count as the same.
 */
function createComparison(keys: KeyRing, settings: SharedSettings, log: Log) {
  /** The names of the settings that differed at the latest comparison, joined. */
  let said = ''
  return (live: readonly LiveWorker[]): void => {
    const found = live
      .map(({ id, settings: its }) => ({ id, names: its ? differingSettings(keys, settings, its) : [] }))
      .filter(({ names }) => names.length > 0)
    const names = [...new Set(found.flatMap((worker) => worker.names))].sort()
    const text = names.join(', ')
    if (text === said) return
    said = text
    const workers = found.map(({ id }) => id)
    if (text === '') log.info('all live workers have the same settings again')
    else log.warn({ settings: names, workers }, `other live workers differ from this one in ${text}`)
  }
}
