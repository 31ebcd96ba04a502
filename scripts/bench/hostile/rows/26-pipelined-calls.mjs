import { setTimeout as sleep } from 'node:timers/promises'
import { compareTimes, inTurns } from '../../phases.mjs'
import { callAtRate, countedAttack, keepCalling, listWebhooksOf, timesOf } from '../calls.mjs'
import { readMetric, residentMib } from '../figures.mjs'
import { withOtherApi } from '../other-api.mjs'

const BOUND_RATIO = 2
const BOUND_MIB = 50
const BOUND_LAG_MS = 50
const PEAK_EVERY_MS = 100
/** The 99th of 100 calls of a phase needs several hundred of them. */
const PER_SECOND = 100
const WARM_UP_MS = 5_000

export const row = {
  id: 26,
  party: '2,000 requests without a key, sent at once on each of 100 connections',
  before: '490 MiB more held; 40,000 on one connection took 19 s of CPU',
  bound: 'p99 < 2x; at most 50 MiB more; event loop at most 50 ms late',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_pipelined_calls' }, async ({ url: baseUrl, pid, tenant }) => {
      const call = listWebhooksOf(await tenant())
      const measure = () => callAtRate(call, { perSecond: PER_SECOND })
      const readLagMs = async () =>
        1_000 * (await readMetric({ url: baseUrl }, 'nodejs_eventloop_lag_max_seconds'))
      // A process takes memory in its first thousands of calls, with or without an attack.
      await keepCalling({ clients: 16, durationMs: WARM_UP_MS, call: async () => (await call()).status })
      await measure()
      // Each reading begins the maximum anew, here without the start of the process.
      await readLagMs()
      const watch = watchPeak(pid)
      const attackModule = new URL('../pipelined-calls.mjs', import.meta.url)
      const calls = countedAttack(stack, attackModule, 'pipelineCalls', { baseUrl })
      const { phases, failed } = timesOf(await inTurns({ measure, attack: calls.attack }))
      const { firstMib, peakMib } = await watch.end()
      const lagMs = await readLagMs()
      const times = compareTimes(phases)
      return {
        ...times,
        isWithin:
          times.ratio < BOUND_RATIO &&
          failed === 0 &&
          peakMib - firstMib <= BOUND_MIB &&
          lagMs <= BOUND_LAG_MS,
        note: `a GET with a valid key; the others were answered ${calls.answers()} and their connections closed; memory ${firstMib.toFixed(0)} -> ${peakMib.toFixed(0)} MiB at most; event loop at most ${lagMs.toFixed(0)} ms late`,
      }
    }),
}

/** @param {number} pid */
function watchPeak(pid) {
  let isOver = false
  const peaks = (async () => {
    const firstMib = await residentMib({ pid })
    let peakMib = firstMib
    while (!isOver) {
      await sleep(PEAK_EVERY_MS)
      peakMib = Math.max(peakMib, await residentMib({ pid }))
    }
    return { firstMib, peakMib }
  })()
  return {
    end() {
      isOver = true
      return peaks
    },
  }
}
