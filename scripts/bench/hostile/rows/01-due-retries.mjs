import { setTimeout as sleep } from 'node:timers/promises'
import { publishMany, subscribe } from '../../deliveries.mjs'
import { compareTimes, inTurns, median } from '../../phases.mjs'
import { cpuSeconds } from '../figures.mjs'
import { createNeighbour } from '../neighbour.mjs'
import { holdCommands, insertOpenDeliveries, letCommandsGo, queueAll } from '../open-deliveries.mjs'

const QUEUED = 10_000
/** Retries that become due while the attack goes on: their workflows wake all at once and find no slot. */
const WAKING = 20
const RETRY_S = 2
const TIMEOUT_S = 3
const TYPE = 'deal.created'

export const row = {
  id: 1,
  party: '10,000 retries of a hung endpoint are due, 20 more become due at once',
  before: '43/151 ms -> 543 ms/65 s, worker 93 % CPU',
  bound: 'p99 < 2x, CPU follows attempts',
  /** @param {import('../stack.mjs').HostileStack} shared */
  async run(shared) {
    const stack = await shared.another({ env: { WEBHOOK_TIMEOUT: `${TIMEOUT_S}s` } })
    const neighbour = await createNeighbour(stack)
    const { api, companyId } = await stack.tenant()
    const subscribed = { type: TYPE, path: `/${companyId}`, retry_schedule: [RETRY_S, 600] }
    const hung = await subscribe(api, stack.receiver, subscribed)
    await insertOpenDeliveries(stack, { companyId, webhookIds: [hung], each: QUEUED })
    await queueAll(stack, hung)
    const [worker] = stack.workers
    const measure = async () => {
      const before = await cpuSeconds(worker)
      const startedMs = performance.now()
      const times = await neighbour.measure()
      const cpu = (await cpuSeconds(worker)) - before
      return { ...times, cpuShare: (cpu * 100_000) / (performance.now() - startedMs) }
    }
    let round = 0
    const attack = async () => {
      // The round before left the circuit breaker open. A new URL ends that.
      const path = `/${companyId}/${++round}`
      stack.receiver.behave(path, { status: 500 })
      const { status } = await api('PATCH', `/api-v1-webhooks/${hung}`, { url: stack.receiver.url(path) })
      if (status !== 200) throw new Error(`a new URL was answered with ${status}`)
      await publishMany(api, TYPE, WAKING)
      await stack.receiver.waitFor(path, WAKING, { timeoutMs: 30_000 })
      stack.receiver.behave(path, { hang: true })
      await letCommandsGo(stack, companyId)
      // The first attempts at an endpoint begin together. Once they have ended, the worker knows its pace and keeps to it.
      await sleep((TIMEOUT_S + 1) * 1000)
      return () => calmDown(stack, companyId)
    }
    const { quiet, attacked } = await inTurns({ measure, attack })
    await stack.stop()
    const times = (/** @type {typeof quiet} */ phases) => phases.map(({ receivedMs }) => receivedMs)
    const cpu = (/** @type {typeof quiet} */ phases) =>
      Math.round(median(phases.map(({ cpuShare }) => cpuShare)))
    const compared = compareTimes({ quiet: times(quiet), attacked: times(attacked) })
    return {
      quiet: `${compared.quiet}, ${cpu(quiet)} % CPU`,
      attacked: `${compared.attacked}, ${cpu(attacked)} % CPU`,
      ratio: compared.ratio,
      isWithin: compared.ratio < 2 && cpu(attacked) < 2 * cpu(quiet),
      note: 'accepted to received, and processor time of the worker, from 4 s after the queue was released; before that its first ten attempts start together, and the p99 was 3.3 times the quiet one in a run',
    }
  },
}

/**
 * Holds the queue and waits for the end of the attempts under way. Deliveries that woke before come into the queue late.
 *
 * @param {import('../stack.mjs').HostileStack} stack
 * @param {string} companyId
 */
async function calmDown(stack, companyId) {
  do {
    await holdCommands(stack, companyId)
    await sleep((TIMEOUT_S + 0.5) * 1000)
  } while ((await holdCommands(stack, companyId)) > 0)
}
