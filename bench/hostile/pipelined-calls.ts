import { readMetric } from '../../test/support/metrics.ts'
import { memoryMib, mostMemory } from '../support/figures.ts'
import { callAtRate, compareTimes, inTurns, keepCalling, timesOf } from '../support/phases.ts'
import { repeated, startAttacker } from './attacks.ts'
import type { Row } from './table.ts'

const BOUND_RATIO = 2
const BOUND_MIB = 50
const BOUND_LAG_MS = 50
/** The 99th of 100 calls of a phase needs several hundred of them. */
const PER_SECOND = 100
/** With three the median of p99 differs by half from run to run. */
const ROUNDS = 7
const WARM_UP_MS = 5_000

export const pipelinedCalls: Row = {
  id: 26,
  party: '2,000 requests without a key, sent at once on each of 100 connections',
  before: '490 MiB more held; 40,000 on one connection took 19 s of CPU',
  bound: 'p99 < 2x; at most 50 MiB more; event loop at most 50 ms late',
  run: (stack) =>
    stack.withOtherApi('bench_pipelined_calls', async ({ url: baseUrl, pid, tenant }) => {
      const { api } = await tenant()
      const call = () => api('GET', '/api-v1-webhooks')
      const measure = () => callAtRate(call, { perSecond: PER_SECOND })
      const readLagMs = async () =>
        1_000 * (await readMetric({ url: baseUrl }, 'nodejs_eventloop_lag_max_seconds'))
      const attacker = await startAttacker()
      const calls = repeated(() => attacker.call('pipelineCalls', { baseUrl }))
      // A process takes memory in its first thousands of calls, with or without an attack.
      await keepCalling(16, WARM_UP_MS, call)
      await measure()
      // Each reading begins the maximum anew, here without the start of the process.
      await readLagMs()
      const firstMib = await memoryMib(pid)
      const { mostMib, result } = await mostMemory(pid, () => inTurns(measure, calls.attack, ROUNDS))
      await attacker.end()
      const { phases, failed } = timesOf(result)
      const lagMs = await readLagMs()
      const times = compareTimes(phases)
      return {
        ...times,
        isWithin:
          times.ratio < BOUND_RATIO &&
          failed === 0 &&
          mostMib - firstMib <= BOUND_MIB &&
          lagMs <= BOUND_LAG_MS,
        note: `a GET with a valid key; the others were answered ${calls.answers()} and their connections closed; memory ${firstMib.toFixed(0)} -> ${mostMib.toFixed(0)} MiB at most; event loop at most ${lagMs.toFixed(0)} ms late`,
      }
    }),
}
