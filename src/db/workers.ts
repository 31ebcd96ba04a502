import type { SettingsFingerprint } from '../domain/sealing/settings-fingerprint.ts'
import { fromNow } from './clock.ts'
import type { Db, SystemDb } from './connection/connection.ts'
import { countRows } from './connection/statements.ts'
import type { LiveWorker, KnownWorker } from '../domain/status.ts'

/** For this many seconds after its last heartbeat, a worker counts as live. */
const HEARTBEAT_FRESH_S = 10

type WorkerRow = {
  id: string
  address: string
  started_at: Date
  heartbeat_at: Date
  settings_fingerprint: string | null
}

const fresh = (db: Db) =>
  db<WorkerRow>('workers').whereRaw('heartbeat_at > NOW(3) - INTERVAL ? SECOND', [HEARTBEAT_FRESH_S])

/** Stores that the worker lives now, by the database's clock. The first time it also stores the worker's settings. */
export async function recordHeartbeat(
  db: SystemDb,
  { id, address, version, settings }: LiveWorker & { readonly address: string; readonly version: string },
): Promise<void> {
  const now = db.raw('NOW(3)')
  // The column has the version too. A former release reads only the fields that it knows.
  const fingerprint = JSON.stringify({ ...settings, version })
  await db('workers')
    .insert({ id, address, started_at: now, heartbeat_at: now, settings_fingerprint: fingerprint })
    .onConflict('id')
    .merge({ heartbeat_at: now })
}

/**
 * Removes a worker that stops, so that other workers can use its slots. Also removes workers without a heartbeat for an
 * hour.
 */
export async function removeWorker(db: SystemDb, id: string): Promise<void> {
  await db('workers').where({ id }).orWhereRaw('heartbeat_at < NOW(3) - INTERVAL 1 HOUR').delete()
}

/** Addresses `host:port` of the live workers. */
export async function listWorkerAddresses(db: SystemDb): Promise<string[]> {
  const rows = await fresh(db).select('address')
  return rows.map(({ address }) => address)
}

/** The live workers, each with its settings. */
export async function listLiveWorkers(db: SystemDb): Promise<LiveWorker[]> {
  const rows = await fresh(db).select('id', 'settings_fingerprint')
  return rows.map(({ id, settings_fingerprint: text }) => ({ id, settings: factsOf(text).settings }))
}

/** All workers in the table, the longest running first. */
export async function listWorkers(db: SystemDb): Promise<KnownWorker[]> {
  const rows = await db<WorkerRow>('workers')
    .orderBy(['started_at', 'id'])
    .select('*', db.raw('TIMESTAMPDIFF(MICROSECOND, heartbeat_at, NOW(3)) AS silent_us'))
  return rows.map((row: WorkerRow & { silent_us?: number }) => {
    const silentMs = (row.silent_us ?? 0) / 1000
    return {
      id: row.id,
      address: row.address,
      startedAt: row.started_at,
      silentMs,
      isLive: silentMs < HEARTBEAT_FRESH_S * 1000,
      ...factsOf(row.settings_fingerprint),
    }
  })
}

/**
 * Reads the stored settings. If a later release has written another form, `settings` is undefined and is not compared.
 */
function factsOf(text: string | null): Pick<KnownWorker, 'settings' | 'version'> {
  const { keyId, hashes, version } = JSON.parse(text ?? '{}') as Partial<
    SettingsFingerprint & { version: string }
  >
  const isKnown = typeof keyId === 'string' && typeof hashes === 'object'
  return { settings: isKnown ? { keyId, hashes } : undefined, version }
}

export const countLiveWorkers = (db: Db): Promise<number> => countRows(fresh(db))

/** The owner of a lease that has not ended; undefined if nobody holds it. */
export async function findLeaseOwner(db: SystemDb, name: string): Promise<string | undefined> {
  const lease = db<{ name: string; owner: string }>('leases').where({ name })
  return (await lease.whereRaw('expires_at > NOW(3)').first('owner'))?.owner
}

/** Takes or renews a lease by name, so that only one process does the work. @returns whether the owner holds the lease now */
export async function takeLease(
  db: SystemDb,
  name: string,
  owner: string,
  seconds: number,
): Promise<boolean> {
  const until = fromNow(db, seconds * 1000)
  await db('leases').insert({ name, owner, expires_at: until }).onConflict('name').ignore()
  const taken = await db('leases')
    .where({ name })
    .andWhere((query) => query.where({ owner }).orWhereRaw('expires_at <= NOW(3)'))
    .update({ owner, expires_at: until })
  return taken === 1
}
