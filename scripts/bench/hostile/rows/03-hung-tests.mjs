import { subscribe } from '../../deliveries.mjs'
import { compareTimes, inTurns } from '../../phases.mjs'
import { countedAttack } from '../calls.mjs'
import { createNeighbour } from '../neighbour.mjs'

const PER_SECOND = 30
const DURATION_MS = 7_500

export const row = {
  id: 3,
  party: '30 test events a second to a hung endpoint with one key',
  before: 'publish p99 20 s, 1,761 answers 503',
  bound: 'p99 < 2x, refused at once',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const neighbour = await createNeighbour(stack)
    const { api, key, companyId } = await stack.tenant()
    const path = `/${companyId}`
    stack.receiver.behave(path, { hang: true })
    const webhookId = await subscribe(api, stack.receiver, { type: 'deal.created', path })
    const tests = countedAttack(stack, new URL('../test-events.mjs', import.meta.url), 'askForTests', {
      baseUrl: stack.apiUrl,
      key,
      webhookId,
      perSecond: PER_SECOND,
      durationMs: DURATION_MS,
    })
    const { quiet, attacked } = await inTurns({ measure: neighbour.measure, attack: tests.attack })
    const times = (/** @type {typeof quiet} */ phases) => phases.map(({ acceptedMs }) => acceptedMs)
    const compared = compareTimes({ quiet: times(quiet), attacked: times(attacked) })
    const { 429: refused = 0, ...others } = tests.counts
    return {
      ...compared,
      isWithin: compared.ratio < 2 && refused > 0 && others[503] === undefined,
      note: `publish to its answer; of the tests ${refused} were answered 429 within the phase, ${sum(others)} otherwise`,
    }
  },
}

/** @param {Record<string, number>} counts */
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0)
