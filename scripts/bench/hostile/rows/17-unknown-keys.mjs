import { compareTimes, inTurns, medianPercentile } from '../../phases.mjs'
import { callAtRate, countedAttack, listWebhooksOf, timesOf } from '../calls.mjs'
import { withOtherApi } from '../other-api.mjs'

const BOUND_MS = 100

export const row = {
  id: 17,
  party: 'calls with unknown keys over 200 connections (1,600 a second on v0.1.0)',
  before: '5/11 -> 337/545 ms',
  bound: 'p50 < 100 ms',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const limited = await callBeside(stack, 'bench_unknown_keys')
    const unlimited = await callBeside(stack, 'bench_unlimited_keys', { AUTH_FAILURES_PER_MINUTE: '0' })
    const remains = compareTimes(unlimited.phases)
    return {
      ...compareTimes(limited.phases, 0.5),
      isWithin: medianPercentile(limited.phases.attacked, 0.5) < BOUND_MS && limited.failed === 0,
      note: `a GET with a valid key; the unknown ones were answered ${limited.answers}. What remains, without the limit of failures that each address has: ${remains.quiet} -> ${remains.attacked}, unknown ones ${unlimited.answers}`,
    }
  },
}

/**
 * @param {import('../stack.mjs').HostileStack} stack
 * @param {string} name of the database
 * @param {Record<string, string>} [settings] of the api
 */
const callBeside = (stack, name, settings = {}) =>
  withOtherApi(stack, { name, settings }, async ({ url: baseUrl, tenant }) => {
    const valid = await tenant()
    const measure = () => callAtRate(listWebhooksOf(valid))
    await measure()
    const attackModule = new URL('../unknown-keys.mjs', import.meta.url)
    const unknown = countedAttack(stack, attackModule, 'callWithUnknownKeys', { baseUrl })
    const { phases, failed } = timesOf(await inTurns({ measure, attack: unknown.attack, rounds: 2 }))
    return { phases, failed, answers: unknown.answers() }
  })
