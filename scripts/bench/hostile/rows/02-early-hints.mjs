import { subscribe } from '../../deliveries.mjs'
import { compareTimes, inTurns, median } from '../../phases.mjs'
import { cpuSeconds } from '../figures.mjs'
import { createNeighbour } from '../neighbour.mjs'

/** Events a second, each tried twice. More would be a load by themselves, whatever the endpoint answers. */
const PER_SECOND = 2
const TYPE = 'deal.created'

export const row = {
  id: 2,
  party: 'an endpoint answers 2 deliveries and 2 retries a second with endless 103 Early Hints',
  before: '69 ms -> 29 s, 235 deliveries blamed',
  bound: 'p99 < 2x, none blamed',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const neighbour = await createNeighbour(stack)
    const { api, key } = await stack.tenant()
    const flooding = stack.attack(
      new URL('../flooding-endpoint.mjs', import.meta.url),
      'answerWithHints',
      stack.tls,
    )
    const { url } = await flooding.result
    const fields = { url, max_retries: 1, retry_schedule: [1] }
    await subscribe(api, stack.receiver, { type: TYPE, path: '/', ...fields })
    const [worker] = stack.workers
    const measure = async () => {
      const before = await cpuSeconds(worker)
      const times = await neighbour.measure()
      return { ...times, cpuSeconds: (await cpuSeconds(worker)) - before }
    }
    const attack = async () => {
      const publishing = stack.attack(new URL('../publisher.mjs', import.meta.url), 'keepPublishing', {
        baseUrl: stack.apiUrl,
        key,
        type: TYPE,
        perSecond: PER_SECOND,
      })
      await publishing.started
      return () => publishing.end()
    }
    const { quiet, attacked } = await inTurns({ measure, attack })
    await flooding.end()
    const blamed = await failedAttempts(stack.db, neighbour.companyId)
    const times = (/** @type {typeof quiet} */ phases) => phases.map(({ receivedMs }) => receivedMs)
    const cpu = (/** @type {typeof quiet} */ phases) =>
      median(phases.map((phase) => phase.cpuSeconds)).toFixed(1)
    const compared = compareTimes({ quiet: times(quiet), attacked: times(attacked) })
    return {
      ...compared,
      isWithin: compared.ratio < 2 && blamed === 0,
      note: `accepted to received; ${blamed} deliveries of the neighbour blamed; worker ${cpu(quiet)} -> ${cpu(attacked)} s of processor time a phase`,
    }
  },
}

/** @param {import('knex').Knex} db @param {string} companyId @returns {Promise<number>} */
async function failedAttempts(db, companyId) {
  const [row] = await db('attempts as a')
    .join('deliveries as d', 'd.id', 'a.delivery_id')
    .where({ 'd.company_id': companyId })
    .whereNotNull('a.error')
    .count({ count: '*' })
  return Number(row?.count)
}
