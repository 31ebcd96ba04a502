import { runSupervised } from '../scripts/lib/supervisor.ts'
import { markdown } from './support/document.ts'
import { summarise, timed } from './support/figures.ts'
import { createWebhook, startBenchApi } from './support/stack.ts'

/*
 * What filters cost a publish (`npm run bench:filters -- 100` for fewer): one event after another to 100 webhooks of its type, in
 * turns of types whose webhooks have no filter, a filter that every event matches, one that half of them match, and a costly
 * one. Ends with exit code 1 when filters make the median more than 1.5 times as long for as many deliveries.
 */

const PUBLISHES = Number(process.argv[2] ?? 300)
const WARMING = 30
const WEBHOOKS = 100
const BOUND = 1.5

const MATCHED = { $or: [{ 'data.stage': 'won' }, { 'data.amount': { $gte: 1_000 } }] }
/** 50 webhooks may have patterns; the other ones compare the same texts. */
const COSTLY = { 'data.lines.sku': { $regex: '([a-z]+[0-9]*)+x$' }, 'data.lines.n': { $nin: [1, 2, 3] } }
const UNMATCHED = { 'data.lines.sku': 'x', 'data.lines.n': { $nin: [1, 2, 3] } }
const TYPES: Readonly<Record<string, { readonly title: string; readonly filterOf: (n: number) => object }>> =
  {
    'contact.created': { title: 'no filter', filterOf: () => ({}) },
    'deal.created': {
      title: 'all match',
      filterOf: (n) => ({ filter: { ...MATCHED, 'data.n': { $ne: n } } }),
    },
    'deal.updated': { title: 'half match', filterOf: (n) => ({ filter: { 'data.half': n % 2 } }) },
    'task.created': {
      title: 'costly, none match',
      filterOf: (n) => ({ filter: n % 2 ? COSTLY : UNMATCHED }),
    },
  }
const DATA = {
  stage: 'won',
  amount: 5_000,
  half: 1,
  lines: Array.from({ length: 40 }, (_, n) => ({ sku: `part-${n}`, n })),
}

await runSupervised(async (supervisor) => {
  const { api } = await startBenchApi(supervisor, 'bench-filters')
  for (const [type, { filterOf }] of Object.entries(TYPES))
    for (let n = 0; n < WEBHOOKS; n++) await createWebhook(api, { events: [type], ...filterOf(n) })
  const publish = async (event: string) => {
    const { status, error } = await api('POST', '/api-v1-events', { event, data: DATA })
    if (status !== 201) throw new Error(`${event} was answered with ${status}: ${error?.message}`)
  }
  const times = new Map(Object.keys(TYPES).map((type) => [type, [] as number[]]))
  for (let turn = -WARMING; turn < PUBLISHES; turn++) {
    for (const [type, own] of times) {
      const ms = await timed(() => publish(type))
      if (turn >= 0) own.push(ms)
    }
  }
  const figures = [...times].map(([type, own]) => ({ title: TYPES[type]?.title ?? '', ...summarise(own) }))
  const [without = NaN, all = NaN] = figures.map(({ p50 }) => p50)
  const rows = figures.map(({ title, p50, p95 }) => [
    title,
    ...[p50, p95].map((ms) => `${ms.toFixed(1)} ms`),
    (p50 / without).toFixed(2),
  ])
  console.log(markdown([['filters of the 100 webhooks', 'p50', 'p95', 'p50 to none'], ...rows]))
  const ratio = all / without
  if (!(ratio <= BOUND)) console.error(`Filters make a publish ${ratio.toFixed(2)} times as long.`)
  return ratio <= BOUND ? 0 : 1
})
