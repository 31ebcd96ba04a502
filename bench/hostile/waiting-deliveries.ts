import { percentile } from '../support/figures.ts'
import type { BenchStack } from '../support/stack.ts'
import { fillWaiting, looksAt, timeLooks, type Looks, type Waiting } from '../support/waiting.ts'
import type { Row } from './table.ts'

const ROUNDS = 3
const BOUNDS_MS = { claim: 20, reconciler: 200, 'outbox metric': 20 }

export const manyQueues: Row = {
  id: 16,
  party: '100,000 webhooks have a due queue, 400,000 deliveries wait and 400,000 are parked',
  before: 'claim look 232 ms, reconciler 847 ms, metric 116 ms',
  bound: '< 20 ms, < 200 ms, < 20 ms',
  async run(stack) {
    const waiting = { due: 400_000, queues: 100_000, parked: 400_000 }
    const { quiet, attacked } = await lookBoth(stack, 'bench_many_queues', waiting, 25, (looks) => looks)
    const shown = (times: Map<string, number[]>) =>
      Object.keys(BOUNDS_MS).map((kind) => `${p50(times, kind).toFixed(1)} ms`)
    return {
      quiet: shown(quiet).join(', '),
      attacked: shown(attacked).join(', '),
      isWithin: Object.entries(BOUNDS_MS).every(([kind, boundMs]) => p50(attacked, kind) < boundMs),
      note: 'claim look, reconciler look, metric of the outbox; quiet is an empty database',
    }
  },
}

export const waitingRows: Row = {
  id: 19,
  party: '1,000,000 rows wait in the outbox',
  before: 'reconciler look 10.7 to 14.9 s with 10,000 rows (MariaDB)',
  bound: '< 200 ms',
  async run(stack) {
    const waiting = { due: 1_000_000, queues: 1_000 }
    const only = ({ reconciler }: ReturnType<typeof looksAt>) => ({ reconciler })
    const { quiet, attacked } = await lookBoth(stack, 'bench_much_waits', waiting, 10, only)
    const shown = (times: Map<string, number[]>) =>
      [0.5, 0.99].map((share) => percentile(times.get('reconciler') ?? [], share).toFixed(1)).join('/')
    return {
      quiet: `${shown(quiet)} ms`,
      attacked: `${shown(attacked)} ms`,
      isWithin: p50(attacked, 'reconciler') < BOUNDS_MS.reconciler,
      note: 'p50/p99 of a look of the reconciler; quiet is an empty outbox',
    }
  },
}

const p50 = (times: Map<string, number[]>, kind: string): number => percentile(times.get(kind) ?? [], 0.5)

/** Looks at an empty and at a full database, in turns. */
async function lookBoth(
  stack: BenchStack,
  name: string,
  waiting: Waiting,
  looks: number,
  choose: (all: ReturnType<typeof looksAt>) => Looks,
) {
  const [empty, full] = [await stack.createDatabase(`${name}_not`), await stack.createDatabase(name)]
  await fillWaiting(full.databaseUrl, waiting)
  const [atEmpty, atFull] = [choose(looksAt(empty.db)), choose(looksAt(full.db))]
  await timeLooks(atEmpty, 1)
  await timeLooks(atFull, 1)
  const quiet = new Map<string, number[]>()
  const attacked = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    append(quiet, await timeLooks(atEmpty, looks))
    append(attacked, await timeLooks(atFull, looks))
  }
  await empty.drop()
  await full.drop()
  return { quiet, attacked }
}

function append(to: Map<string, number[]>, more: Map<string, number[]>): void {
  for (const [kind, times] of more) to.set(kind, [...(to.get(kind) ?? []), ...times])
}
