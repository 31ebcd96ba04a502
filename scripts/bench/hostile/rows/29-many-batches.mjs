import { compareTimes, inTurns, medianPercentile } from '../../phases.mjs'
import { callAtRate, countedAttack, timesOf } from '../calls.mjs'
import { withOtherApi } from '../other-api.mjs'

const TYPE = 'activity.created'
const BATCHES = { type: TYPE, events: 100, clients: 450 }
const BOUND_MS = 1_000

export const row = {
  id: 29,
  party: 'publishes of 100 events each over 450 connections at once, nearly all that an address may have',
  before: 'first come, first served, without a bound',
  bound: 'p99 of a publish at most 1 s more',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_many_batches' }, async ({ url: baseUrl, tenant }) => {
      const [{ key }, neighbour] = [await tenant(), await tenant()]
      const publish = () => neighbour.api('POST', '/api-v1-events', { event: TYPE, data: {} })
      const measure = () => callAtRate(publish, { wanted: 201 })
      await measure()
      const attackModule = new URL('../wide-publishes.mjs', import.meta.url)
      const publishes = countedAttack(stack, attackModule, 'publishBatches', { baseUrl, key, ...BATCHES })
      const { phases, failed } = timesOf(await inTurns({ measure, attack: publishes.attack }))
      const addedMs = medianPercentile(phases.attacked, 0.99) - medianPercentile(phases.quiet, 0.99)
      return {
        ...compareTimes(phases),
        isWithin: failed === 0 && addedMs <= BOUND_MS,
        note: `a publish of the neighbour, ${failed} failed; the batches were answered ${publishes.answers()}`,
      }
    }),
}
