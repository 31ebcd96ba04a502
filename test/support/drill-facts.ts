import { setTimeout as delay } from 'node:timers/promises'
import type { ReceivedRequest } from '../../scripts/receiver/receiver.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { EVENTS_PER_SECOND } from './drill-traffic.ts'
import { expectSoundRows } from './invariants.ts'

const eventOf = ({ headers }: ReceivedRequest): string => String(headers['webhook-id'])

/** How often each event was answered 2xx. */
export function countSuccesses(requests: readonly ReceivedRequest[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const request of requests.filter(({ status }) => status === 200))
    counts.set(eventOf(request), (counts.get(eventOf(request)) ?? 0) + 1)
  return counts
}

/**
 * The events that were answered 2xx more often than the rows explain. Each delivery may be answered so once, and once more
 * for each attempt that ended without an answer: it came too late.
 */
export async function findRepeated(
  db: Db,
  webhookId: string,
  successes: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows: Explained[] = await db('deliveries as d')
    .leftJoin('attempts as a', (join) => join.on('a.delivery_id', 'd.id').andOnNull('a.response_code'))
    .where('d.webhook_id', webhookId)
    .groupBy('d.event_id')
    .select('d.event_id')
    .countDistinct({ deliveries: 'd.id' })
    .count({ unanswered: 'a.number' })
  const explained = new Map(
    rows.map((row) => [row.event_id, Number(row.deliveries) + Number(row.unanswered)]),
  )
  return [...successes].filter(([id, count]) => count > (explained.get(id) ?? 0)).map(([id]) => id)
}

type Explained = { event_id: string; deliveries: number | string; unanswered: number | string }

/**
 * For each event of a neighbour that was accepted then: how many attempts of the recovery began after that and before its
 * own. It counts turns and no time, so a slow machine changes little.
 */
export async function countOvertaking(
  db: Db,
  { recovered, neighbour }: { readonly recovered: string; readonly neighbour: string },
  published: ReadonlyMap<string, number>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<number[]> {
  const begins = (webhookId: string) =>
    db('attempts as a')
      .join('deliveries as d', 'd.id', 'a.delivery_id')
      .where('d.webhook_id', webhookId)
      .select<Begin[]>('d.event_id', 'a.number', 'a.trigger', 'a.started_at')
  const recoveries = (await begins(recovered)).filter(({ trigger }) => trigger === 'recovery')
  const starts = recoveries.map(({ started_at: at }) => at.getTime())
  return (await begins(neighbour)).flatMap(({ event_id: id, number, started_at: at }) => {
    const answeredMs = published.get(id) ?? -Infinity
    if (number !== 1 || answeredMs < fromMs || answeredMs >= toMs) return []
    return [starts.filter((startMs) => startMs > answeredMs && startMs < at.getTime()).length]
  })
}

type Begin = { event_id: string; number: number; trigger: string; started_at: Date }

/** The value that so many of a hundred do not exceed. */
export const percentile = (values: readonly number[], percent: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? 0

/** How long a recovery takes with the slots that new events leave, in seconds. */
export const secondsAllowed = (
  { failed }: { readonly failed: number },
  { slots, answerMs }: { readonly slots: number; readonly answerMs: number },
): number => (failed * answerMs) / 1000 / (slots - (EVENTS_PER_SECOND * answerMs) / 1000)

const LOOK_EVERY_MS = 50
/** So often it looks at the deliveries under way for each check of all rows, which takes longer. */
const LOOKS_FOR_EACH_CHECK = 10

/**
 * Looks until it is over: whether counters equal rows, and how many deliveries of the recovery wait in the outbox or are on
 * the wire at once, which are those whose attempt for the recovery is still to be recorded.
 */
export async function lookAtRows(db: Db, webhookId: string, isOver: () => boolean) {
  let [count, mostUnderWay] = [0, 0]
  while (!isOver()) {
    if (count++ % LOOKS_FOR_EACH_CHECK === 0) await expectSoundRows(db)
    const row = await db('deliveries')
      .where({ webhook_id: webhookId, status: 'retrying' })
      .whereRaw('recovery_base = attempts')
      .count({ underWay: '*' })
      .first<{ underWay: number }>()
    mostUnderWay = Math.max(mostUnderWay, row.underWay)
    await delay(LOOK_EVERY_MS)
  }
  return { count, mostUnderWay }
}
