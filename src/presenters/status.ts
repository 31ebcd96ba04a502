import { createHash } from 'node:crypto'
import type { SettingsFingerprint } from '../domain/sealing/settings-fingerprint.ts'
import type { KnownWorker, Status } from '../domain/status.ts'

/* The processes on the operator's command line. */

/** A worker. `settings` is a hash, which is equal for workers with equal settings. */
export const presentWorker = (worker: KnownWorker, leaderId: string | undefined) => ({
  id: worker.id,
  state: worker.isLive ? 'live' : 'silent',
  version: worker.version ?? null,
  address: worker.address,
  settings: worker.settings ? shortHash(worker.settings) : null,
  is_leader: worker.id === leaderId,
  heartbeat_seconds_ago: tenths(worker.silentMs),
  started_at: worker.startedAt.toISOString(),
})

/**
 * The answer of `status`. While the database is away or cannot be used, what only it knows is null, but for the name of its server.
 *
 * @param version the release of the command line itself
 */
export function presentStatus({ database, temporal, api, troubles }: Status, version: string) {
  const up = database.kind === 'up' ? database : undefined
  return {
    state: troubles.length === 0 ? 'ok' : 'trouble',
    version,
    database: {
      state: database.kind,
      server: database.kind === 'away' ? null : database.server,
      is_writable: up?.isWritable ?? null,
      clock_ahead_seconds: up ? tenths(up.aheadMs) : null,
    },
    temporal: { state: temporal === undefined ? 'away' : 'up', version: temporal ?? null },
    api: { state: stateOfApi(api), missing: api.kind === 'answers' ? api.missing : [] },
    outbox: {
      pending: up?.outbox.pending ?? null,
      oldest_seconds: up ? tenths(up.outbox.oldestSeconds * 1000) : null,
    },
    troubles: troubles.map((trouble) => ({ trouble })),
    workers: up ? up.workers.map((worker) => presentWorker(worker, up.leaderId)) : null,
  }
}

const stateOfApi = (api: Status['api']): string =>
  api.kind !== 'answers' ? api.kind : api.missing.length > 0 ? 'not ready' : 'up'

const tenths = (durationMs: number): number => Math.round(durationMs / 100) / 10

const shortHash = ({ keyId, hashes }: SettingsFingerprint): string =>
  createHash('sha256')
    .update(JSON.stringify([keyId, Object.entries(hashes).sort()]))
    .digest('hex')
    .slice(0, 8)
