import { databaseGreets } from '../scripts/lib/ready.ts'
import type { Supervisor } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startStack } from '../scripts/stack/stack.ts'
import { SoakClient } from './client.ts'
import { killable } from './kills.ts'

/** What the soak kills. */
export const PARTS = ['worker', 'api', 'database', 'temporal'] as const

/** Times are short, so that retries, take-overs and the reconciler have their turn within a short run. */
const SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE: '1s,2s,3s,5s',
  WEBHOOK_TIMEOUT: '4s',
  RECORDING_TIMEOUT: '5s',
  RECONCILE_AFTER: '5s',
  RATE_LIMIT_PER_MINUTE: '0',
  COMPANY_RATE_LIMIT_PER_MINUTE: '0',
}

/** WEBHOOK_TIMEOUT and RECORDING_TIMEOUT together: a kill this long after a request no longer loses its outcome. */
export const ATTEMPT_MS = 9_000

/** The whole service on loopback, whose parts can be killed. */
export type SoakStack = Awaited<ReturnType<typeof startSoakStack>>

/**
 * Starts database, Temporal, api and worker as a production would, on free ports and with their files in `dir`. They end
 * with the supervisor.
 *
 * @param options lane: the value of DELIVERY_FIRST_ATTEMPT
 */
export async function startSoakStack(everything: Supervisor, { dir, lane }: { dir: string; lane: string }) {
  const { supervisor, killAndRestart } = killable(everything, async (name) => isReady[name]?.() ?? true)
  const settings = { ...SETTINGS, DELIVERY_FIRST_ATTEMPT: lane }
  const { env, tls, temporal, start } = await startStack(supervisor, { dir, settings })
  const { key } = await createKey(env, 'admin:all')
  const [api, worker] = await Promise.all([start('server'), start('worker')])
  const { hostname, port } = new URL(env['DATABASE_URL'] ?? '')
  const isReady: Readonly<Record<string, () => Promise<boolean>>> = {
    worker: worker.isReady,
    api: api.isReady,
    database: () => databaseGreets(hostname, Number(port)),
    temporal: temporal.answers,
  }
  return {
    /** Of the processes. */
    env,
    /** Of the endpoints. */
    tls,
    /** With an admin:all key. */
    client: new SoakClient([api.url], key),
    killAndRestart,
  }
}
