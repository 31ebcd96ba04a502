import { apiClient } from '../../scripts/demo/http.mjs'
import { freePorts } from '../../scripts/lib/ports.ts'
import type { Supervisor } from '../../scripts/lib/supervisor.ts'
import { createKey } from '../../scripts/stack/company.ts'
import { makeDirectory, startStack, watchStarts } from '../../scripts/stack/stack.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { readPeaks, resetPeaks, type PerProcess } from '../support/figures.ts'
import { clearTables } from './fixture.ts'
import type { Lane } from './plan.ts'
import { startPrograms, type LoadStack } from './programs.ts'

/** Settings that the caller may choose for the processes; all others are those of the benchmark. */
const PASSED_ON = /^(WEBHOOK_CONCURRENCY$|OTEL_)/

/** Starts everything but the worker, as `npm start` would; it ends with the supervisor. */
export async function startLoadStack(everything: Supervisor): Promise<LoadStack> {
  const pids = new Map<string, number>()
  const supervisor = watchStarts(everything, ({ name }, pid) => pids.set(name, pid))
  const chosen = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)))
  const settings = { RATE_LIMIT_PER_MINUTE: '0', ...chosen }
  const dir = await makeDirectory(everything, 'bench-throughput')
  const { env, tls, temporal, start } = await startStack(supervisor, { dir, settings })
  const { companyId, key } = await createKey(env, 'admin:all')
  const api = await start('server')
  const [deadPort] = await freePorts([0])
  const programs = await startPrograms({ apiUrl: api.url, keys: [key], tls })
  const db = connect(env['DATABASE_URL'] ?? '')
  let peaks: Record<string, number> = {}
  let more = 0
  let lane: Lane = 'workflow'
  const keepPeaks = (now: PerProcess) => {
    for (const [name, mib] of Object.entries(now)) peaks[name] = Math.max(peaks[name] ?? 0, mib)
  }
  async function stopWorker(): Promise<void> {
    const pid = pids.get('worker')
    keepPeaks(await readPeaks(pids))
    pids.delete('worker')
    if (pid !== undefined) await supervisor.end(pid)
  }
  return {
    ...programs,
    isAttached: false,
    pids,
    companyId,
    env,
    db,
    temporalVersion: temporal.version,
    get lane() {
      return lane
    },
    apiUrl: api.url,
    api: apiClient(api.url, key),
    deadEndpoint: `https://127.0.0.1:${deadPort}/dead`,
    stopWorker,
    async startWorker() {
      if (!pids.has('worker')) await start('worker', { DELIVERY_FIRST_ATTEMPT: lane })
    },
    async startMore(kind) {
      const name = `${kind === 'server' ? 'api' : 'worker'}-${(more += 1)}`
      const service = await start(kind, { DELIVERY_FIRST_ATTEMPT: lane }, { name })
      return { ...service, stop: () => service.stop().finally(() => pids.delete(name)) }
    },
    async useLane(wanted) {
      if (wanted === lane) return
      await stopWorker()
      lane = wanted
    },
    async peaks() {
      keepPeaks(await readPeaks(pids))
      return { ...peaks }
    },
    async resetPeaks() {
      await resetPeaks(pids)
      peaks = {}
    },
    reset: () => clearTables(db),
  }
}
