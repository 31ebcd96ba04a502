import { compareTimes, inTurns } from '../../phases.mjs'
import { callAtRate, countedAttack, timesOf } from '../calls.mjs'
import { webhooksOf } from '../many-webhooks.mjs'
import { fillRows } from '../other-database.mjs'
import { withOtherApi } from '../other-api.mjs'

const WEBHOOKS = 1_000
const TYPE = 'activity.created'
const BATCHES = { type: TYPE, events: 100, perSecond: 10 }

export const row = {
  id: 28,
  party: '10 publishes a second of 100 events each, of a company with 1,000 webhooks: each is refused',
  before: 'planned in full before it was refused',
  bound: 'p99 of a publish < 2x',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_refused_batches' }, async ({ url: baseUrl, database, tenant }) => {
      const [wide, neighbour] = [await tenant(), await tenant()]
      const { companyId, key } = wide
      await fillRows(database, webhooksOf({ companyId, count: WEBHOOKS, type: TYPE }))
      const publish = () => neighbour.api('POST', '/api-v1-events', { event: TYPE, data: {} })
      const measure = () => callAtRate(publish, { wanted: 201 })
      await measure()
      const attackModule = new URL('../wide-publishes.mjs', import.meta.url)
      const publishes = countedAttack(stack, attackModule, 'publishAtRate', { baseUrl, key, ...BATCHES })
      const { phases, failed } = timesOf(await inTurns({ measure, attack: publishes.attack }))
      const times = compareTimes(phases)
      return {
        ...times,
        isWithin: failed === 0 && times.ratio < 2,
        note: `a publish of the neighbour, ${failed} failed; the batches were answered ${publishes.answers()}`,
      }
    }),
}
