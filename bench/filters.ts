import { build } from '../scripts/build.mjs'
import { apiClient } from '../scripts/demo/http.mjs'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startService } from '../scripts/stack/services.ts'
import { makeDirectory, startDatabase } from '../scripts/stack/stack.ts'
import { summarise, timed } from './support/figures.ts'
import type { Api } from './support/stack.ts'

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
  await build()
  const dir = await makeDirectory(supervisor, 'bench-filters')
  const env = { ...(await startDatabase(supervisor, dir)), RATE_LIMIT_PER_MINUTE: '0' }
  const { key } = await createKey(env, 'admin:all')
  const { url } = await startService(supervisor, { kind: 'server', env, logDir: dir })
  const api: Api = apiClient(url, key)
  for (const [type, { filterOf }] of Object.entries(TYPES))
    for (let n = 0; n < WEBHOOKS; n++) {
      const body = { name: `${type} ${n}`, url: 'https://example.com/', events: [type], ...filterOf(n) }
      await send(api, '/api-v1-webhooks', body)
    }
  const times = new Map(Object.keys(TYPES).map((type) => [type, [] as number[]]))
  for (let turn = -WARMING; turn < PUBLISHES; turn++) {
    for (const [type, own] of times) {
      const ms = await timed(() => send(api, '/api-v1-events', { event: type, data: DATA }))
      if (turn >= 0) own.push(ms)
    }
  }
  const figures = [...times].map(([type, own]) => ({ type, ...summarise(own) }))
  const without = figures[0]?.p50 ?? NaN
  console.log(`Publishing to ${WEBHOOKS} webhooks, ${PUBLISHES} times each, in ms:\n`)
  console.log(['filters'.padEnd(20), 'p50', 'p95', 'p50 to none'].join('\t'))
  for (const { type, p50, p95 } of figures) {
    const cells = [p50.toFixed(1), p95.toFixed(1), (p50 / without).toFixed(2)]
    console.log([TYPES[type]?.title.padEnd(20), ...cells].join('\t'))
  }
  const ratio = (figures[1]?.p50 ?? NaN) / without
  if (!(ratio <= BOUND)) console.error(`Filters make a publish ${ratio.toFixed(2)} times as long.`)
  return ratio <= BOUND ? 0 : 1
})

async function send(api: Api, path: string, body: object): Promise<void> {
  const { status, error } = await api('POST', path, body)
  if (status !== 201) throw new Error(`${path} was answered with ${status}: ${error?.message}`)
}
