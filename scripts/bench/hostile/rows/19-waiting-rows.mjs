import { percentile } from '../../figures.mjs'
import { createFilledOutbox } from '../filled-outbox.mjs'
import { reconcilerLooks, timed } from '../looks.mjs'
import { createDatabase } from '../other-database.mjs'

const ROUNDS = 3
const LOOKS = 10
const BOUND_MS = 200

export const row = {
  id: 19,
  party: '1,000,000 rows wait in the outbox',
  before: 'reconciler look 10.7 to 14.9 s with 10,000 rows (MariaDB)',
  bound: '< 200 ms',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const empty = await createDatabase(stack, 'bench_nothing_waits')
    const rows = { waiting: 1_000_000, queues: 1_000, parked: 0 }
    const full = await createFilledOutbox(stack, { name: 'bench_much_waits', ...rows })
    const [lookAtEmpty, lookAtFull] = [await reconcilerLooks(empty.db), await reconcilerLooks(full.db)]
    /** @type {number[]} */
    const quiet = []
    /** @type {number[]} */
    const attacked = []
    for (let round = 0; round < ROUNDS; round++) {
      for (let n = 0; n < LOOKS; n++) quiet.push(await timed(lookAtEmpty))
      for (let n = 0; n < LOOKS; n++) attacked.push(await timed(lookAtFull))
    }
    await Promise.all([empty.drop(), full.drop()])
    return {
      quiet: shown(quiet),
      attacked: shown(attacked),
      isWithin: percentile(attacked, 0.5) < BOUND_MS,
      note: 'p50/p99 of a look of the reconciler; quiet is an empty outbox',
    }
  },
}

/** @param {readonly number[]} timesMs */
const shown = (timesMs) => `${[0.5, 0.99].map((share) => percentile(timesMs, share).toFixed(1)).join('/')} ms`
