import { setTimeout as delay } from 'node:timers/promises'
import { runCli } from './cli.ts'
import { whileFailuresAreForgotten } from './due-deliveries.ts'
import { until, untilIs } from './poll.ts'
import type { Stack } from './use-stack.ts'
import { type Json, type TestTenant, createTestWebhook, type TestWebhook } from './tenants.ts'
import type { ReceivedRequest } from '../../scripts/receiver/receiver.ts'
import type { Db } from '../../src/db/connection/connection.ts'
import { expectSoundRows } from './invariants.ts'
import { randomUUID } from 'node:crypto'

const ENDING_MS = 5_000
/** How many deliveries fail by default. */
const OUTAGE_FAILURES = 120
/** The outage is over once the endpoint has answered this many new events. */
const ANSWERED = 20
/** The retries from the end of the outage on: on a busy machine an attempt may time out, which must not end a delivery. */
const MAX_RETRIES = 5

type Options = {
  readonly stack: Stack
  readonly tenant: TestTenant
  /** How long the endpoint takes to answer after the outage. */
  readonly answerMs: number
  /** The outage lasts until this many deliveries have failed. */
  readonly outageFailures?: number
  /** Runs during the recovery and may disturb it. */
  readonly disturb?: (played: Played, isRunning: () => boolean) => Promise<void>
}

/** The webhook with the dead endpoint, and a neighbour webhook of another company. */
export type Played = {
  readonly webhook: TestWebhook
  readonly neighbour: TestWebhook
  readonly own: Traffic
  readonly others: Traffic
}

/**
 * Lets an endpoint fail for a while under traffic and come back. Then one `webhook recover --wait` sends the failed
 * deliveries again while the traffic goes on. The check of the rows runs all the time.
 */
export async function drill(options: Options) {
  const { stack, tenant } = options
  const webhook = await createTestWebhook(stack, tenant, { max_retries: 0 })
  const other = await stack.tenant()
  const neighbour = await createTestWebhook(stack, other, { events: ['deal.created'] })
  const requestsTo = ({ path }: TestWebhook) => stack.receiver.requestsTo(path)
  const own = startTraffic(tenant, 'contact.created', () => requestsTo(webhook))
  const others = startTraffic(other, 'deal.created', () => requestsTo(neighbour))
  try {
    return await breakAndRecover(options, { webhook, neighbour, own, others })
  } finally {
    await Promise.all([own.stop(), others.stop()])
  }
}

async function breakAndRecover(options: Options, played: Played) {
  const { stack } = options
  const { webhook, neighbour, own, others } = played
  const since = new Date().toISOString()
  const failed = await letFail(options, webhook)
  let isOver = false
  const playing = recoverUnderTraffic(options, played, since).finally(() => (isOver = true))
  const works = [playing, lookAtRows(stack.db, webhook.id, () => isOver)] as const
  const [{ recovery, startedMs, endedMs }, looks] = await allOf(works)
  await Promise.all([own.stop(), others.stop()])
  for (const { get } of [webhook, neighbour]) {
    const isIdle = (shown?: Json) => shown?.health.waiting === 0
    await until(get, isIdle, { withinMs: 60_000, what: 'the end of all deliveries' })
  }
  const successes = countSuccesses(stack.receiver.requestsTo(webhook.path))
  const pair = { recovered: webhook.id, neighbour: neighbour.id }
  const times = { fromMs: startedMs, toMs: endedMs }
  return {
    webhook,
    /** Deliveries that had failed before the recovery began, and how many of them succeeded. */
    failed: failed.length,
    recovered: failed.filter((id) => successes.has(id)).length,
    seconds: (endedMs - startedMs) / 1000,
    /** The recovery, as `webhook recover --wait` printed it. */
    recovery,
    looks,
    /** Accepted events of the webhook, and the webhook as the api shows it once all deliveries have ended. */
    accepted: own.published.size,
    shown: await webhook.get(),
    /** For each waiting event of the neighbour, how many attempts of the recovery began during its wait. */
    overtaking: await countOvertaking(stack.db, pair, others.published, times),
    /** Accepted events of the webhook that no 2xx answered, and events with more 2xx answers than the rows explain. */
    lost: [...own.published.keys()].filter((id) => !successes.has(id)),
    twice: await findRepeated(stack.db, webhook.id, successes),
  }
}

/**
 * Lets the endpoint fail for a while. The service forgets its failures during that time, because otherwise most events
 * would wait and not fail. An error answer of a busy api, such as a 503, only means that the wait goes on.
 *
 * @returns the failed events, once the endpoint answers again
 */
async function letFail(options: Options, webhook: TestWebhook): Promise<string[]> {
  const { stack, answerMs, outageFailures = OUTAGE_FAILURES } = options
  const { db, receiver } = stack
  receiver.behave(webhook.path, { status: 500 })
  await whileFailuresAreForgotten(stack, () =>
    until(webhook.get, (shown?: Json) => shown?.failed_deliveries >= outageFailures, {
      withinMs: 30_000 + 5 * (outageFailures / EVENTS_PER_SECOND) * 1_000,
      what: 'an outage with failed deliveries',
    }),
  )
  receiver.behave(webhook.path, { delayMs: answerMs })
  await untilIs(async () => (await webhook.change({ max_retries: MAX_RETRIES })).status, 200)
  const isOver = (shown?: Json) =>
    shown?.health.state === 'healthy' && shown.successful_deliveries >= ANSWERED
  await until(webhook.get, isOver, { withinMs: 30_000, what: 'the end of the outage' })
  return db('deliveries').where({ webhook_id: webhook.id, status: 'failed' }).pluck<string[]>('event_id')
}

/** Starts the recovery by the command line, and runs the disturbance beside it. */
async function recoverUnderTraffic(options: Options, played: Played, since: string) {
  const { stack, disturb } = options
  const startedMs = Date.now()
  let endedMs: number | undefined
  const args = ['webhook', 'recover', '--id', played.webhook.id, '--since', since, '--wait']
  const waiting = runCli(args, stack.environment).finally(() => (endedMs = Date.now()))
  const disturbing = disturb?.(played, () => endedMs === undefined) ?? Promise.resolve()
  const [recovery] = await allOf([waiting, disturbing])
  return { recovery, startedMs, endedMs: endedMs ?? Date.now() }
}

/** Like Promise.all, but after a failure the others get a little time. A command may wait for a dead worker forever. */
async function allOf<A, B>(works: readonly [Promise<A>, Promise<B>]) {
  return Promise.all(works).finally(() => Promise.race([Promise.allSettled(works), delay(ENDING_MS)]))
}

const eventOf = ({ headers }: ReceivedRequest): string => String(headers['webhook-id'])

/** Counts the 2xx answers of each event. */
export function countSuccesses(requests: readonly ReceivedRequest[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const request of requests.filter(({ status }) => status === 200))
    counts.set(eventOf(request), (counts.get(eventOf(request)) ?? 0) + 1)
  return counts
}

/**
 * Returns the events with more 2xx answers than the rows explain. Each delivery explains one such answer. Each attempt
 * that ended without an answer explains one more, because the answer may have come too late.
 */
async function findRepeated(
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
 * Counts, for each event of a neighbour accepted during the recovery, the attempts of the recovery that began before
 * the event's own attempt. It counts attempts and no time, so a slow machine changes little.
 */
async function countOvertaking(
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

/** The duration of a recovery with the slots that new events leave, in seconds. */
export const secondsAllowed = (
  { failed }: { readonly failed: number },
  { slots, answerMs }: { readonly slots: number; readonly answerMs: number },
): number => (failed * answerMs) / 1000 / (slots - (EVENTS_PER_SECOND * answerMs) / 1000)

const LOOK_EVERY_MS = 50
/** How often it looks at the deliveries under way for each check of all rows, because that check takes longer. */
const LOOKS_FOR_EACH_CHECK = 10

/**
 * Checks until `isOver` that the counters equal the rows. Also finds the most deliveries of the recovery that were
 * queued or on the wire at once: those whose attempt for the recovery is not recorded yet.
 */
async function lookAtRows(db: Db, webhookId: string, isOver: () => boolean) {
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

/** Events a second for each webhook. */
const EVENTS_PER_SECOND = 20
/** Publishing pauses while this many events have not arrived, because a busy machine would fall ever further behind. */
const MOST_UNDER_WAY = EVENTS_PER_SECOND

export type Traffic = {
  /** When the api accepted each event, by event id; epoch milliseconds. */
  readonly published: ReadonlyMap<string, number>
  /** Stops publishing. @throws the first error of a publish without an answer */
  readonly stop: () => Promise<void>
}

/**
 * Publishes events of a type at a steady rate, as far as the service keeps up.
 *
 * @param requests the requests that have arrived at the endpoint
 */
function startTraffic(
  tenant: TestTenant,
  event: string,
  requests: () => readonly ReceivedRequest[],
): Traffic {
  const published = new Map<string, number>()
  const answers = new Set<Promise<void>>()
  const underWay = new Set<string>()
  let seen = 0
  const errors: unknown[] = []
  const publish = async (): Promise<void> => {
    const id = `evt_${randomUUID()}`
    underWay.add(id)
    const { status } = await tenant.request('POST', '/api-v1-events', { id, event, data: {} })
    if (status === 201) published.set(id, Date.now())
    else underWay.delete(id)
  }
  const timer = setInterval(() => {
    const arrived = requests()
    for (; seen < arrived.length; seen++) underWay.delete(eventOf(arrived[seen]!))
    if (underWay.size >= MOST_UNDER_WAY) return
    const work = publish()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => answers.delete(work))
    answers.add(work)
  }, 1_000 / EVENTS_PER_SECOND)
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await Promise.all(answers)
    if (errors.length > 0) throw errors[0]
  }
  return { published, stop }
}
