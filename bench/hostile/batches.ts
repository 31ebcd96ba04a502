import { insertWebhooks } from '../../test/support/webhook-rows.ts'
import { callAtRate, compareTimes, inTurns, medianPercentile, timesOf } from '../support/phases.ts'
import type { BenchStack } from '../support/stack.ts'
import { repeated, startAttacker } from './attacks.ts'
import type { Figures, Row } from './table.ts'

const WEBHOOKS = 1_000
const TYPE = 'activity.created'

export const refusedBatches: Row = {
  id: 28,
  party: '10 publishes a second of 100 events each, of a company with 1,000 webhooks: each is refused',
  before: 'planned in full before it was refused',
  bound: 'p99 of a publish < 2x',
  run: (stack) =>
    publishBeside(
      stack,
      { name: 'bench_refused_batches', webhooks: WEBHOOKS, attack: 'publishAtRate' },
      ({ ratio }) => {
        return ratio < 2
      },
    ),
}

const BOUND_MS = 1_000

export const manyBatches: Row = {
  id: 29,
  party: 'publishes of 100 events each over 450 connections at once, nearly all that an address may have',
  before: 'first come, first served, without a bound',
  bound: 'p99 of a publish at most 1 s more',
  run: (stack) =>
    publishBeside(
      stack,
      { name: 'bench_many_batches', webhooks: 0, attack: 'publishBatches' },
      ({ addedMs }) => {
        return addedMs <= BOUND_MS
      },
    ),
}

type Attack = { name: string; webhooks: number; attack: 'publishAtRate' | 'publishBatches' }

/** Measures the publishes of a neighbour beside batches of a company with so many webhooks. */
const publishBeside = (
  stack: BenchStack,
  { name, webhooks, attack }: Attack,
  isWithin: (measured: { ratio: number; addedMs: number }) => boolean,
): Promise<Figures> =>
  stack.withOtherApi(name, async ({ url: baseUrl, db, tenant }) => {
    const [{ companyId, key }, neighbour] = [await tenant(), await tenant()]
    if (webhooks > 0) await insertWebhooks(db, { companyId, environment: 'live' }, webhooks, [TYPE])
    const publish = () => neighbour.api('POST', '/api-v1-events', { event: TYPE, data: {} })
    const measure = () => callAtRate(publish, { wanted: 201 })
    await measure()
    const attacker = await startAttacker()
    const batches = repeated(() => attacker.call(attack, { baseUrl, key, type: TYPE }))
    const { phases, failed } = timesOf(await inTurns(measure, batches.attack))
    await attacker.end()
    const times = compareTimes(phases)
    const addedMs = medianPercentile(phases.attacked, 0.99) - medianPercentile(phases.quiet, 0.99)
    return {
      ...times,
      isWithin: failed === 0 && isWithin({ ratio: times.ratio, addedMs }),
      note: `a publish of the neighbour, ${failed} failed; the batches were answered ${batches.answers()}`,
    }
  })
