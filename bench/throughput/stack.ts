import { apiClient } from '../../scripts/demo/http.mjs'
import { freePorts } from '../../scripts/lib/ports.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey } from '../../scripts/stack/company.ts'
import type { ServiceKind } from '../../scripts/stack/services.ts'
import { makeDirectory, startStack, watchStarts } from '../../scripts/stack/stack.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { startChild } from '../support/child.ts'
import { readPeaks, resetPeaks, type PerProcess } from '../support/figures.ts'
import type { Api } from '../support/fill.ts'
import { clearTables } from './fixture.ts'
import type * as loadProgram from './load.ts'
import type { Lane, Plan } from './plan.ts'
import type * as receiverProgram from './receiver.ts'

/** The port of a URL that names one. */
export const portOf = (url: string): number => Number(new URL(url).port)

/** Starts the two programs of the benchmark: the one that publishes and the one that has the endpoints. */
async function startPrograms(apiUrl: string, key: string, tls: { cert: string; key: string }) {
  const [deadPort] = await freePorts([0])
  const load = startChild<typeof loadProgram>(new URL('./load.ts', import.meta.url))
  const receiver = startChild<typeof receiverProgram>(new URL('./receiver.ts', import.meta.url))
  const port = await receiver.call('listen', tls)
  return {
    /** Publishes, by default to the first api. */
    publish: (what: loadProgram.Publishing) =>
      load.call('publish', { ports: [portOf(apiUrl)], key, ...what }),
    receiver: receiver.call,
    /** A URL of the receiver. */
    endpoint: (path: string) => `https://127.0.0.1:${port}${path}`,
    /** A URL where connections are refused. */
    deadEndpoint: `https://127.0.0.1:${deadPort}/dead`,
  }
}

/** The whole service on loopback, with a load process and endpoints of its own. */
export type LoadStack = Awaited<ReturnType<typeof startLoadStack>>

/** Starts everything but the worker, as `npm start` would; it ends with the supervisor. */
export async function startLoadStack(everything: Supervisor, plan: Plan) {
  const pids = new Map<string, number>()
  const supervisor = watchStarts(everything, ({ name }, pid) => pids.set(name, pid))
  // The caller chooses the traces; all other settings are those of the benchmark.
  const traces = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_')))
  const settings = { RATE_LIMIT_PER_MINUTE: '0', ...traces }
  const dir = await makeDirectory(everything, 'bench-throughput')
  const { env, tls, temporal, start } = await startStack(supervisor, { dir, settings })
  const { companyId, key } = await createKey(env, 'admin:all')
  const { url: apiUrl } = await start('server')
  const api: Api = apiClient(apiUrl, key)
  const programs = await startPrograms(apiUrl, key, tls)
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const db = connect(databaseUrl)
  let peaks: Record<string, number> = {}
  let more = 0
  let lane: Lane = 'workflow'
  const keepPeaks = (now: PerProcess) => {
    for (const [name, mib] of Object.entries(now)) peaks[name] = Math.max(peaks[name] ?? 0, mib)
  }
  /** Ends the worker, if it runs. */
  async function stopWorker(): Promise<void> {
    const pid = pids.get('worker')
    keepPeaks(await readPeaks(pids))
    pids.delete('worker')
    if (pid !== undefined) await supervisor.end(pid)
  }
  return {
    ...programs,
    plan,
    /** Of what runs now: api, worker, database, temporal. */
    pids,
    companyId,
    env,
    databaseUrl,
    db,
    temporalVersion: temporal.version,
    /** Of the first api. */
    apiUrl,
    /** With an admin:all key. */
    api,
    /** Who makes the first attempt. */
    get lane() {
      return lane
    },
    /** Chooses the way to first attempts of the worker that starts next. Stops a running worker of the other lane. */
    async useLane(wanted: Lane) {
      if (wanted === lane) return
      await stopWorker()
      lane = wanted
    },
    stopWorker,
    /** Starts the worker, unless it runs. */
    async startWorker() {
      if (!pids.has('worker')) await start('worker', { DELIVERY_FIRST_ATTEMPT: lane })
    },
    /** Starts a further api or worker. Its cost counts with the first one's. */
    async startMore(kind: ServiceKind) {
      const name = `${kind === 'server' ? 'api' : 'worker'}-${(more += 1)}`
      const service = await start(kind, { DELIVERY_FIRST_ATTEMPT: lane }, { name })
      return { ...service, stop: () => service.stop().finally(() => pids.delete(name)) }
    },
    /** The peak memory of each process since `resetPeaks`, in MiB; for the worker over all that ran since then. */
    async peaks() {
      keepPeaks(await readPeaks(pids))
      return { ...peaks }
    },
    async resetPeaks() {
      await resetPeaks(pids)
      peaks = {}
    },
    /** Removes what the phase before left: webhooks and open deliveries; closed ones too, unless there are old ones to keep. */
    reset: () => clearTables(db, { keepsHistory: plan.oldDeliveries > 0 }),
  }
}
