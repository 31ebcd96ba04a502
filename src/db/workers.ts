import type { SettingsFingerprint } from '../domain/sealing/settings-fingerprint.ts'
import { fromNow } from './clock.ts'
import type { Db, SystemDb } from './connection/connection.ts'

/** A worker counts as live for this long after its last heartbeat. */
const HEARTBEAT_FRESH_S = 10

type WorkerRow = {
  id: string
  address: string
  started_at: Date
  heartbeat_at: Date
  settings_fingerprint: string | null
}

/** A worker with a recent heartbeat. */
export type LiveWorker = {
  readonly id: string
  /** Its settings; undefined when its release writes none, or writes them in another form. */
  readonly settings: SettingsFingerprint | undefined
}

const fresh = (db: Db) =>
  db<WorkerRow>('workers').whereRaw('heartbeat_at > NOW(3) - INTERVAL ? SECOND', [HEARTBEAT_FRESH_S])

/** Records that the worker lives, by the database's clock, and with which settings. */
export async function recordHeartbeat(
  db: SystemDb,
  { id, address, settings }: LiveWorker & { readonly address: string },
): Promise<void> {
  const now = db.raw('NOW(3)')
  const fingerprint = settings ? JSON.stringify(settings) : null
  await db('workers')
    .insert({ id, address, started_at: now, heartbeat_at: now, settings_fingerprint: fingerprint })
    .onConflict('id')
    .merge({ heartbeat_at: now })
}

/** Removes a worker that stops, so that the others use its slots. Also removes workers that were silent for an hour. */
export async function removeWorker(db: SystemDb, id: string): Promise<void> {
  await db('workers').where({ id }).orWhereRaw('heartbeat_at < NOW(3) - INTERVAL 1 HOUR').delete()
}

/** Addresses `host:port` of the live workers. */
export async function listWorkerAddresses(db: SystemDb): Promise<string[]> {
  const rows = await fresh(db).select('address')
  return rows.map(({ address }) => address)
}

/** The workers that live now, each with its settings. */
export async function listLiveWorkers(db: SystemDb): Promise<LiveWorker[]> {
  const rows = await fresh(db).select('id', 'settings_fingerprint')
  return rows.map(({ id, settings_fingerprint: text }) => ({
    id,
    settings: text === null ? undefined : toFingerprint(text),
  }))
}

/** A later release may write another form; it is not compared then. */
function toFingerprint(text: string): SettingsFingerprint | undefined {
  const { keyId, hashes } = JSON.parse(text) as Partial<SettingsFingerprint>
  return typeof keyId === 'string' && typeof hashes === 'object' ? { keyId, hashes } : undefined
}

export async function countLiveWorkers(db: Db): Promise<number> {
  const [row] = await fresh(db).count({ total: '*' })
  return Number(row?.total ?? 0)
}

/**
 * Takes or renews a lease by name, so that one process of many does the work.
 *
 * @returns whether the owner holds it now
 */
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
