import { setTimeout as sleep } from 'node:timers/promises'
import { createNeighbour, subscribe } from '../support/deliveries.ts'
import { failedDeliveries, fillRows } from '../support/fill.ts'
import { compareTimes, inTurns, medianPercentile } from '../support/phases.ts'
import type { Row } from './table.ts'

/** More than a recovery brings in all phases. */
const FAILED = 5_000
const ADDED_MS = 50
const LOOK_EVERY_MS = 200

export const recovery: Row = {
  id: 27,
  party: 'a recovery goes on, each of whose deliveries is a workflow',
  before: '55 -> 665 ms',
  bound: 'p99 < 2x + 50 ms',
  async run(stack) {
    const neighbour = await createNeighbour(stack)
    const { api, companyId } = await stack.tenant()
    const webhookId = await subscribe(api, stack.receiver, { type: 'contact.created', path: '/recovered' })
    await fillRows(stack.databaseUrl, failedDeliveries(companyId, webhookId, FAILED))
    const path = `/api-v1-webhooks/${webhookId}`
    const rates: number[] = []
    const attack = async () => {
      const begun = await api('POST', `${path}/recover`, { since: '2020-01-01T00:00:00Z' })
      const startedMs = performance.now()
      return async () => {
        const { data } = await api('DELETE', `${path}/recoveries/${begun.data.id}`)
        rates.push((data.queued * 1000) / (performance.now() - startedMs))
        while ((await api('GET', path)).data.health.waiting > 0) await sleep(LOOK_EVERY_MS)
      }
    }
    const { quiet, attacked } = await inTurns(neighbour.measure, attack)
    const phases = {
      quiet: quiet.map(({ receivedMs }) => receivedMs),
      attacked: attacked.map(({ receivedMs }) => receivedMs),
    }
    return {
      ...compareTimes(phases),
      isWithin: medianPercentile(phases.attacked, 0.99) < 2 * medianPercentile(phases.quiet, 0.99) + ADDED_MS,
      note: `accepted to received; the recovery queued ${rates.map((rate) => rate.toFixed(0)).join(', ')} deliveries a second`,
    }
  },
}
