import type { SystemDeps } from '../deps/deps.ts'
import { measureOutbox } from '../db/outbox/figures.ts'
import { LineInterval } from '../domain/line-interval.ts'
import { listLiveWorkers, recordHeartbeat, removeWorker } from '../db/workers.ts'
import { SettingsAgreement } from './shared-settings.ts'
import { startTicker } from '../deps/ticker.ts'
import { VERSION } from '../deps/version.ts'

export type Heartbeat = {
  /** Workers that live now, this one included; at least 1. */
  liveWorkers(): number
  /** Called after every heartbeat that the database took. */
  onBeat(listener: () => void): void
  stop(): Promise<void>
}

const INTERVAL_MS = 2_000
/** Every how many beats the outbox is measured. */
const MEASURE_EVERY = 5
/** While no beat can be written the log says so this often. */
const LINE_EVERY_MS = 30_000

/**
 * Every 2 seconds writes that this worker lives and with which settings, and counts the live workers. Warns when another
 * one runs with other settings. Resolves after the first beat.
 *
 * @param intervalMs shorter in tests
 */
export async function startHeartbeat(
  deps: SystemDeps,
  worker: { id: string; address: string },
  intervalMs = INTERVAL_MS,
): Promise<Heartbeat> {
  const { config, db, log, metrics } = deps
  const agreement = new SettingsAgreement(config, log)
  const settings = agreement.fingerprint()
  let live = 1
  let beats = 0
  const listeners: (() => void)[] = []
  const lines = new LineInterval(LINE_EVERY_MS)

  async function beat(): Promise<void> {
    await recordHeartbeat(db, { ...worker, version: VERSION, settings })
    lines.reset()
    const workers = await listLiveWorkers(db)
    live = Math.max(1, workers.length)
    agreement.compare(workers)
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
    liveWorkers: () => live,
    onBeat: (listener) => listeners.push(listener),
    async stop() {
      await stopTicker()
      await removeWorker(db, worker.id).catch(() => undefined)
    },
  }
}
