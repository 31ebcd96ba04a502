import { publishMany, subscribe } from '../../deliveries.mjs'
import { compareTimes, inTurns } from '../../phases.mjs'
import { createNeighbour } from '../neighbour.mjs'
import { holdCommands, insertOpenDeliveries, letCommandsGo } from '../open-deliveries.mjs'

const WEBHOOKS = 70
const DELIVERIES = 1_000
/** One webhook in so many also has deliveries with a workflow, which has to be cancelled: fewer than open its circuit breaker. */
const RUNNING_ONE_IN = 2
const RUNNING_EACH = 17
const PATH = '/failing'
const FILL_MS = 60_000

export const row = {
  id: 20,
  party: '70 webhooks with 1,000 open deliveries each are deleted',
  before: 'deliveries 48 s late',
  bound: 'p99 < 2x',
  /** @param {import('../stack.mjs').HostileStack} shared */
  async run(shared) {
    const stack = await shared.another()
    const neighbour = await createNeighbour(stack)
    const { api, companyId } = await stack.tenant()
    stack.receiver.behave(PATH, { status: 500 })
    const webhookIds = []
    for (let n = 0; n < WEBHOOKS; n++) {
      const type = n % RUNNING_ONE_IN === 0 ? 'deal.created' : 'deal.updated'
      webhookIds.push(await subscribe(api, stack.receiver, { type, path: PATH, retry_schedule: [3_600] }))
    }
    await publishMany(api, 'deal.created', RUNNING_EACH)
    const running = Math.ceil(WEBHOOKS / RUNNING_ONE_IN) * RUNNING_EACH
    await stack.receiver.waitFor(PATH, running, { timeoutMs: FILL_MS })
    await insertOpenDeliveries(stack, { companyId, webhookIds, each: DELIVERIES })
    for (const id of webhookIds) await api('DELETE', `/api-v1-webhooks/${id}`)
    await holdCommands(stack, companyId)
    const attack = async () => {
      await letCommandsGo(stack, companyId)
      return () => holdCommands(stack, companyId)
    }
    const { quiet, attacked } = await inTurns({ measure: neighbour.measure, attack })
    const [closed] = await stack
      .db('deliveries')
      .where({ company_id: companyId, status: 'failed' })
      .count({ count: '*' })
    await stack.stop()
    const times = (/** @type {typeof quiet} */ phases) => phases.map(({ receivedMs }) => receivedMs)
    const compared = compareTimes({ quiet: times(quiet), attacked: times(attacked) })
    return {
      ...compared,
      isWithin: compared.ratio < 2 && Number(closed?.count) > 0,
      note: `accepted to received; ${closed?.count} deliveries were closed meanwhile`,
    }
  },
}
