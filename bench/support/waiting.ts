import { measureOutbox } from '../../src/db/outbox/figures.ts'
import { wakeForgottenDeliveries, type PageCursor } from '../../src/db/delivery/forgotten-deliveries.ts'
import type { SystemDb } from '../../src/db/connection/connection.ts'
import { CandidateFinder } from '../../src/relay/candidates.ts'
import { timed } from './figures.ts'
import { AN_HOUR_AGO, deliveriesOf, fillRows, idOf, insertInto } from './fill.ts'

/*
 * What looks at waiting deliveries costs beside very many of them: the relay's search for rows to claim, a round of the reconciler
 * and the metric of the outbox.
 */

const COMPANIES = 100

/** Deliveries that wait; `queues`: how many webhooks the due ones are spread over, and as many the later ones. */
export type Waiting = {
  /** Overdue, each with its row in the outbox. */
  readonly due: number
  readonly queues: number
  /** For the time of their next attempt. */
  readonly later?: number
  /** Under inactive webhooks. */
  readonly parked?: number
}

/** Fills an empty database, with one delivery after the other of each kind. */
export async function fillWaiting(databaseUrl: string, waiting: Waiting): Promise<void> {
  const { due, queues, later = 0, parked = 0 } = waiting
  const isParked = `n >= ${due + later}`
  const [companyId, spread] = [idOf('com', `n % ${COMPANIES}`), 'INTERVAL n % 3600 SECOND']
  const webhookId = `IF(${isParked}, ${idOf('whk', "CONCAT('parked', n % 1000)")}, ${idOf('whk', `n % ${queues}`)})`
  const overdue = `${AN_HOUR_AGO} - ${spread}`
  const nextAt = `IF(n < ${due}, ${overdue}, NOW(3) + INTERVAL 1 HOUR + ${spread})`
  const webhook = { id: idOf('whk', "CONCAT('parked', n)"), company_id: companyId, environment: "'live'" }
  const texts = { name: "'parked'", url: "'https://example.com/'", secret_sealed: "'x'", max_retries: '5' }
  const command = { kind: "'due'", subject_id: idOf('del'), company_id: companyId }
  const [, deliveries = ''] = deliveriesOf(due + later + parked, {
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
    insertInto(
      'webhooks',
      { ...webhook, ...texts, is_active: '0', created_at: 'NOW(3)', updated_at: 'NOW(3)' },
      1_000,
    ),
    deliveries,
    insertInto(
      'outbox',
      { ...command, lane: `CONCAT(${webhookId}, '+')`, available_at: overdue, created_at: AN_HOUR_AGO },
      due,
    ),
    'ANALYZE TABLE outbox, deliveries, webhooks',
  ])
}

/** Pages that one round of the reconciler reads, and the deliveries of a page, as upkeep/reconciler.ts has them. */
const PAGES = [
  ['overdue', 8],
  ['parked', 2],
] as const
const PAGE = 1_000
const RECONCILE_AFTER_MS = 300_000
/** Queues that a busy relay claims from between two searches. */
const CLAIMED_QUEUES = 64

/** A look of each kind; each goes on where the one before ended. */
export function looksAt(db: SystemDb) {
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

export type Looks = Readonly<Record<string, () => Promise<unknown>>>

/** Milliseconds of so many looks of each kind, which take turns. */
export async function timeLooks(looks: Looks, times: number): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>()
  for (const kind of Object.keys(looks)) found.set(kind, [])
  for (let n = 0; n < times; n++) {
    for (const [kind, look] of Object.entries(looks)) found.get(kind)?.push(await timed(look))
  }
  return found
}
