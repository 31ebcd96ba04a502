import { runSupervised } from '../scripts/lib/supervisor.ts'
import type { SystemDb } from '../src/db/connection/connection.ts'
import { wakeForgottenDeliveries, type PageCursor } from '../src/db/delivery/forgotten-deliveries.ts'
import { measureOutbox } from '../src/db/outbox/figures.ts'
import { CandidateFinder } from '../src/relay/candidates.ts'
import { markdown } from './support/document.ts'
import { percentile, timed } from './support/figures.ts'
import { AN_HOUR_AGO, deliveriesOf, fillRows, idOf, insertInto } from './support/fill.ts'
import { startBenchDatabase } from './support/stack.ts'

/*
 * What looks at waiting deliveries costs beside 1,000,000 of them (`npm run bench:waiting -- 100000` for fewer): the relay's search
 * for rows to claim, a round of the reconciler, and the metric of the outbox. 3 of 10 are overdue and queued, in a third as many
 * queues; 6 wait for their next attempt; one is parked under an inactive webhook. Ends with exit code 1 beyond a bound.
 */

const COUNT = Number(process.argv[2] ?? 1_000_000)
const [DUE, PARKED] = [Math.round(COUNT * 0.3), Math.round(COUNT * 0.1)]
const QUEUES = Math.ceil(DUE / 3)
const COMPANIES = 100
const PARKED_WEBHOOKS = 1_000
const LOOKS = 40
/** Of the median. */
const BOUNDS_MS = { claim: 20, reconciler: 200, 'outbox metric': 20 }
type Looks = Readonly<Record<keyof typeof BOUNDS_MS, () => Promise<unknown>>>

/** Pages that one round of the reconciler reads, and the deliveries of a page, as upkeep/reconciler.ts has them. */
const PAGES = [
  ['overdue', 8],
  ['parked', 2],
] as const
const PAGE = 1_000
const RECONCILE_AFTER_MS = 300_000
/** Queues that a busy relay claims from between two searches. */
const CLAIMED_QUEUES = 64

await runSupervised(async (supervisor) => {
  const { db, databaseUrl } = await startBenchDatabase(supervisor, 'bench-waiting')
  const empty = await measure('nothing waits', looksAt(db))
  const filledMs = await timed(() => fillWaiting(databaseUrl))
  console.log(`${COUNT} deliveries filled in ${(filledMs / 1000).toFixed(0)} s`)
  const full = await measure(`${COUNT} wait`, looksAt(db))
  const measured = [...empty, ...full]
  const rows = measured.map(({ cells }) => cells)
  console.log(markdown([['look', 'beside', 'first', 'median', 'worst', 'bound of the median'], ...rows]))
  return measured.every(({ isWithin }) => isWithin) ? 0 : 1
})

/** Looks of each kind take turns. @param beside what waits meanwhile */
async function measure(beside: string, looks: Looks) {
  const kinds = (Object.keys(BOUNDS_MS) as (keyof Looks)[]).map((kind) => ({ kind, times: [] as number[] }))
  for (let n = 0; n < LOOKS; n++) for (const { kind, times } of kinds) times.push(await timed(looks[kind]))
  return kinds.map(({ kind, times }) => {
    const medianMs = percentile(times, 0.5)
    const shown = [times[0] ?? NaN, medianMs, Math.max(...times)].map((ms) => `${ms.toFixed(1)} ms`)
    const isWithin = medianMs < BOUNDS_MS[kind]
    return { isWithin, cells: [kind, beside, ...shown, `${BOUNDS_MS[kind]} ms`] }
  })
}

/** Fills an empty database, with one delivery after the other of each kind. */
async function fillWaiting(databaseUrl: string): Promise<void> {
  const isParked = `n >= ${COUNT - PARKED}`
  const [companyId, spread] = [idOf('com', `n % ${COMPANIES}`), 'INTERVAL n % 3600 SECOND']
  const parkedId = (n: string) => idOf('whk', `CONCAT('parked', ${n})`)
  const webhookId = `IF(${isParked}, ${parkedId(`n % ${PARKED_WEBHOOKS}`)}, ${idOf('whk', `n % ${QUEUES}`)})`
  const overdue = `${AN_HOUR_AGO} - ${spread}`
  const nextAt = `IF(n < ${DUE}, ${overdue}, NOW(3) + INTERVAL 1 HOUR + ${spread})`
  const webhook = { id: parkedId('n'), company_id: companyId, environment: "'live'", is_active: '0' }
  const texts = { name: "'parked'", url: "'https://example.com/'", secret_sealed: "'x'", max_retries: '5' }
  const times = { created_at: 'NOW(3)', updated_at: 'NOW(3)' }
  const command = { kind: "'due'", subject_id: idOf('del'), company_id: companyId }
  const queued = { lane: `CONCAT(${webhookId}, '+')`, available_at: overdue, created_at: AN_HOUR_AGO }
  const [, deliveries = ''] = deliveriesOf(COUNT, {
    companyId,
    webhookId,
    createdAt: overdue,
    status: "'retrying'",
    columns: {
      attempts: '1',
      next_retry_at: nextAt,
      wake_at: `IF(${isParked}, NULL, ${nextAt})`,
      parked_at: `IF(${isParked}, ${overdue}, NULL)`,
    },
  })
  await fillRows(databaseUrl, [
    insertInto('webhooks', { ...webhook, ...texts, ...times }, PARKED_WEBHOOKS),
    deliveries,
    insertInto('outbox', { ...command, ...queued }, DUE),
    'ANALYZE TABLE outbox, deliveries, webhooks',
  ])
}

/** A look of each kind; each goes on where the one before ended. */
function looksAt(db: SystemDb): Looks {
  const finder = new CandidateFinder()
  const cursors = new Map<string, PageCursor | undefined>()
  return {
    /** What the relay does 20 times a second. Each search remembers the queues of the one before. */
    claim: async () => {
      finder.claimed((await finder.find(db)).slice(0, CLAIMED_QUEUES))
    },
    /** What the reconciler does once a minute. Nothing is forgotten here. */
    reconciler: async () => {
      for (const [part, pages] of PAGES) {
        for (let page = 0; page < pages; page++) {
          const options = { afterMs: RECONCILE_AFTER_MS, from: cursors.get(part), limit: PAGE }
          const { queued, next } = await wakeForgottenDeliveries(db, part, options)
          if (queued > 0) throw new Error(`${queued} ${part} deliveries were queued again`)
          cursors.set(part, next)
          if (!next) break
        }
      }
    },
    /** Made every 10 s. */
    'outbox metric': () => measureOutbox(db),
  }
}
