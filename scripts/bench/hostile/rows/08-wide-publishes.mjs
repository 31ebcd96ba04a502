import { compareTimes, inTurns } from '../../phases.mjs'
import { callAtRate, countedAttack, timesOf } from '../calls.mjs'
import { webhooksOf } from '../many-webhooks.mjs'
import { fillRows } from '../other-database.mjs'
import { withOtherApi } from '../other-api.mjs'

const WEBHOOKS = 1_000
const TYPE = 'activity.created'
/** With 1,000 webhooks, the most events of one request: it may make 10,000 deliveries. */
const EVENTS = 10

export const row = {
  id: 8,
  party:
    '16 publishes at once of a company with 1,000 webhooks, each of 10,000 deliveries, the most in a request',
  before: '100,000 deliveries in a request; neighbour 3 s and 503',
  bound: 'more than 10,000: 400; neighbour always answered',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_wide_publishes' }, async ({ url: baseUrl, database, tenant }) => {
      const [wide, neighbour] = [await tenant(), await tenant()]
      const { companyId, key } = wide
      await fillRows(database, webhooksOf({ companyId, count: WEBHOOKS, type: TYPE }))
      const events = Array.from({ length: 100 }, () => ({ event: TYPE, data: {} }))
      const tooMany = await wide.api('POST', '/api-v1-events', { events })
      const publish = () => neighbour.api('POST', '/api-v1-events', { event: TYPE, data: {} })
      const measure = () => callAtRate(publish, { wanted: 201 })
      await measure()
      const options = { baseUrl, key, type: TYPE, events: EVENTS }
      const attackModule = new URL('../wide-publishes.mjs', import.meta.url)
      const publishes = countedAttack(stack, attackModule, 'publishBatches', options)
      const { phases, failed } = timesOf(await inTurns({ measure, attack: publishes.attack }))
      return {
        ...compareTimes(phases),
        isWithin: failed === 0 && tooMany.status === 400,
        note: `a publish of the neighbour, ${failed} failed; the large ones were answered ${publishes.answers()}; 100 events in a request: ${tooMany.status}, «${tooMany.error?.message}»`,
      }
    }),
}
