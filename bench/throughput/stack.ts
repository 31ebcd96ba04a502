import { writeFile } from 'node:fs/promises'
import { apiClient } from '../../scripts/demo/http.mjs'
import { freePorts } from '../../scripts/lib/ports.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey } from '../../scripts/stack/company.ts'
import type { ServiceKind } from '../../scripts/stack/services.ts'
import { makeDirectory, startStack, watchStarts } from '../../scripts/stack/stack.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { startChild } from '../support/child.ts'
import { readMemory } from './costs.ts'
import { EACH_ITS_OWN } from './fixture.ts'
import type * as loadProgram from './load.ts'
import type { Lane, Plan } from './plan.ts'
import type * as receiverProgram from './receiver.ts'

/** How many connections publish as fast as they can. */
export const CONNECTIONS = 32

const portOf = (url: string): number => Number(new URL(url).port)

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
  const { url } = await start('server')
  const api = apiClient(url, key)
  const apiPort = portOf(url)
  const { types } = EACH_ITS_OWN
  const standard = { ports: [apiPort], key, types, connections: CONNECTIONS, seconds: 60 }
  const publisher = startChild<typeof loadProgram>(new URL('./load.ts', import.meta.url))
  const { call: receiver } = startChild<typeof receiverProgram>(new URL('./receiver.ts', import.meta.url))
  const port = await receiver('listen', tls)
  const [deadPort] = await freePorts([0])
  let most: Record<string, number> = {}
  let more = 0
  /** The peak memory of each process since `resetPeaks`, in MiB; for the worker over all that ran since then. */
  async function peaks() {
    for (const [name, mib] of Object.entries(await readMemory(pids, 'VmHWM')))
      most[name] = Math.max(most[name] ?? 0, mib)
    return { ...most }
  }
  /** Ends the worker, if it runs. */
  async function stopWorker(): Promise<void> {
    const pid = pids.get('worker')
    await peaks()
    pids.delete('worker')
    if (pid !== undefined) await supervisor.end(pid)
  }
  const stack = {
    plan,
    /** Of what runs now: api, worker, database, temporal. */
    pids,
    companyId,
    env,
    db: connect(env['DATABASE_URL'] ?? ''),
    temporalVersion: temporal.version,
    apiPort,
    /** A client of the first api, with an admin:all key. */
    api,
    /** Publishes to the first api, for a minute at most, unless the load says something else. */
    publish: (given: Partial<loadProgram.Load>) => publisher.call('publish', { ...standard, ...given }),
    receiver,
    /** A URL of the receiver. */
    endpoint: (path: string) => `https://127.0.0.1:${port}${path}`,
    /** A URL where connections are refused. */
    deadEndpoint: `https://127.0.0.1:${deadPort}/dead`,
    /** Who makes the first attempt. */
    lane: 'workflow' as Lane,
    /** Chooses the way to first attempts of the worker that starts next. Stops a running worker of the other lane. */
    async useLane(wanted: Lane) {
      if (wanted === stack.lane) return
      await stopWorker()
      stack.lane = wanted
    },
    stopWorker,
    /** Starts the worker, unless it runs. */
    async startWorker() {
      if (!pids.has('worker')) await start('worker', { DELIVERY_FIRST_ATTEMPT: stack.lane })
    },
    /** Starts a further api or worker. Its cost counts with the first one's. */
    async startMore(kind: ServiceKind) {
      const name = `${kind === 'server' ? 'api' : 'worker'}-${(more += 1)}`
      const service = await start(kind, { DELIVERY_FIRST_ATTEMPT: stack.lane }, { name })
      const stop = () => service.stop().finally(() => pids.delete(name))
      return { port: portOf(service.url), stop }
    },
    peaks,
    /** Makes peaks count from now on. Where the system forbids it, they go on counting from the start. */
    async resetPeaks() {
      // 5 resets the peak: proc(5).
      for (const pid of pids.values()) await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)
      most = {}
    },
  }
  return stack
}
