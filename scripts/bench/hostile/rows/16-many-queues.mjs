import { percentile } from '../../figures.mjs'
import { createFilledOutbox } from '../filled-outbox.mjs'
import { claimLooks, outboxMeasurements, reconcilerLooks, timed } from '../looks.mjs'
import { createDatabase } from '../other-database.mjs'

const ROUNDS = 3
const LOOKS = 25
const BOUNDS_MS = { claim: 20, reconciler: 200, metric: 20 }

/** @typedef {keyof typeof BOUNDS_MS} Look */

export const row = {
  id: 16,
  party: '100,000 webhooks have a due queue, 400,000 deliveries wait and 400,000 are parked',
  before: 'claim look 232 ms, reconciler 847 ms, metric 116 ms',
  bound: '< 20 ms, < 200 ms, < 20 ms',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const empty = await createDatabase(stack, 'bench_no_queues')
    const rows = { waiting: 400_000, queues: 100_000, parked: 400_000 }
    const full = await createFilledOutbox(stack, { name: 'bench_many_queues', ...rows })
    const [quietLooks, attackedLooks] = [await looksAt(empty.db), await looksAt(full.db)]
    await Promise.all([lookAll(quietLooks), lookAll(attackedLooks)])
    const quiet = noTimes()
    const attacked = noTimes()
    for (let round = 0; round < ROUNDS; round++) {
      await measure(quietLooks, quiet)
      await measure(attackedLooks, attacked)
    }
    await Promise.all([empty.drop(), full.drop()])
    const medians = mediansOf(attacked)
    return {
      quiet: shown(mediansOf(quiet)),
      attacked: shown(medians),
      isWithin: medians.every(({ look, ms }) => ms < BOUNDS_MS[look]),
      note: 'claim look, reconciler look, metric of the outbox; quiet is an empty database',
    }
  },
}

/** @param {import('knex').Knex} db @returns {Promise<Record<Look, () => Promise<unknown>>>} */
const looksAt = async (db) => ({
  claim: await claimLooks(db),
  reconciler: await reconcilerLooks(db),
  metric: await outboxMeasurements(db),
})

/** @returns {Record<Look, number[]>} */
const noTimes = () => ({ claim: [], reconciler: [], metric: [] })

/** @param {Record<Look, () => Promise<unknown>>} looks */
async function lookAll(looks) {
  for (const look of Object.values(looks)) await look()
}

/** @param {Record<Look, () => Promise<unknown>>} looks @param {Record<Look, number[]>} times milliseconds, added to */
async function measure(looks, times) {
  for (let n = 0; n < LOOKS; n++) {
    for (const name of /** @type {Look[]} */ (Object.keys(looks))) times[name].push(await timed(looks[name]))
  }
}

/** @param {Record<Look, number[]>} times */
const mediansOf = (times) =>
  /** @type {Look[]} */ (Object.keys(times)).map((look) => ({ look, ms: percentile(times[look], 0.5) }))

/** @param {{ ms: number }[]} medians */
const shown = (medians) => medians.map(({ ms }) => `${ms.toFixed(1)} ms`).join(', ')
