import { subscribe } from '../../deliveries.mjs'
import { compareTimes, inTurns, medianPercentile } from '../../phases.mjs'
import { insertFailedDeliveries } from '../failed-deliveries.mjs'
import { createNeighbour } from '../neighbour.mjs'

/** More than a recovery brings in all phases. */
const FAILED = 5_000
const ADDED_MS = 50

export const row = {
  id: 27,
  party: 'a recovery goes on, each of whose deliveries is a workflow',
  before: '55 -> 665 ms',
  bound: 'p99 < 2x + 50 ms',
  /** @param {import('../stack.mjs').HostileStack} shared */
  async run(shared) {
    const stack = await shared.another({ env: { DELIVERY_FIRST_ATTEMPT: 'workflow' } })
    const neighbour = await createNeighbour(stack)
    const { api, companyId } = await stack.tenant()
    const webhookId = await subscribe(api, stack.receiver, { type: 'contact.created', path: '/recovered' })
    await insertFailedDeliveries(stack, { companyId, webhookId, count: FAILED })
    const path = `/api-v1-webhooks/${webhookId}`
    const queued = []
    const attack = async () => {
      const begun = await api('POST', `${path}/recover`, { since: '2020-01-01T00:00:00Z' })
      const startedMs = performance.now()
      return async () => {
        const { data } = await api('DELETE', `${path}/recoveries/${begun.data.id}`)
        queued.push(data.queued / ((performance.now() - startedMs) / 1000))
        await untilIdle(api, path)
      }
    }
    const { quiet, attacked } = await inTurns({ measure: neighbour.measure, attack })
    await stack.stop()
    const times = (/** @type {typeof quiet} */ phases) => phases.map(({ receivedMs }) => receivedMs)
    const phases = { quiet: times(quiet), attacked: times(attacked) }
    const [quietMs, attackedMs] = [phases.quiet, phases.attacked].map((each) => medianPercentile(each, 0.99))
    return {
      ...compareTimes(phases),
      isWithin: (attackedMs ?? Infinity) < 2 * (quietMs ?? 0) + ADDED_MS,
      note: `accepted to received; the recovery queued ${queued.map((each) => each.toFixed(0)).join(', ')} deliveries a second`,
    }
  },
}

/** @param {import('../stack.mjs').Api} api @param {string} path of a webhook */
async function untilIdle(api, path) {
  while ((await api('GET', path)).data.health.waiting > 0)
    await new Promise((resolve) => setTimeout(resolve, 200))
}
