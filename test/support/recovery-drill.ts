import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ReceivedRequest } from '../../scripts/receiver/receiver.mjs'
import { runCli } from './cli.js'
import { expectSoundRows } from './invariants.js'
import { until } from './poll.js'
import type { Stack } from './stack.js'
import type { Json, TestTenant } from './tenants.js'
import { createTestWebhook, type TestWebhook } from './webhooks.js'

/** Events a second for the webhook whose endpoint is dead, and as many for its neighbour. */
const EVENTS_PER_SECOND = 20
/** The outage lasts until so many deliveries have failed. */
const OUTAGE_FAILURES = 120
const LOOK_EVERY_MS = 500
/** Events of the neighbour by which it is measured before the recovery, when both endpoints answer. */
const CALM_EVENTS = 200

type Options = {
  readonly stack: Stack
  readonly tenant: TestTenant
  /** How long the endpoint takes for an answer once it is back. */
  readonly answerMs: number
  /** Runs beside the recovery, which it may disturb. */
  readonly disturb?: (isRunning: () => Promise<boolean>) => Promise<void>
}

export type DrillFacts = {
  /** Deliveries that had failed when the recovery began, and how many of them succeeded. */
  readonly failed: number
  readonly recovered: number
  readonly seconds: number
  /** The recovery, as `webhook recover --wait` printed it. */
  readonly recovery: Json
  /** Times from the publish to the arrival at the neighbour, in milliseconds, before and during the recovery. */
  readonly before: readonly number[]
  readonly during: readonly number[]
  /** Events of the webhook that were accepted and never answered 2xx, and those answered 2xx more than once. */
  readonly lost: readonly string[]
  readonly twice: readonly string[]
}

/**
 * An endpoint is dead for a while under traffic and comes back; one `webhook recover --wait` brings what failed, while the
 * traffic goes on. The check of the rows runs all the time.
 */
export async function drill(options: Options): Promise<DrillFacts> {
  const { stack, tenant } = options
  const webhook = await createTestWebhook(stack, tenant, { max_retries: 0 })
  const other = await stack.tenant()
  const neighbour = await createTestWebhook(stack, other, { events: ['deal.created'] })
  const own = startTraffic(tenant, 'contact.created')
  const others = startTraffic(other, 'deal.created')
  try {
    return await breakAndRecover(options, { webhook, neighbour, own, others })
  } finally {
    await Promise.all([own.stop(), others.stop()])
  }
}

type Traffic = ReturnType<typeof startTraffic>
type Played = {
  readonly webhook: TestWebhook
  readonly neighbour: TestWebhook
  readonly own: Traffic
  readonly others: Traffic
}

async function breakAndRecover(
  { stack, answerMs, disturb }: Options,
  { webhook, neighbour, own, others }: Played,
): Promise<DrillFacts> {
  const { receiver } = stack
  const since = new Date().toISOString()
  receiver.behave(webhook.path, { status: 500 })
  await failWithoutBreaker(stack, webhook)
  receiver.behave(webhook.path, { delayMs: answerMs })
  const failed = await settled(webhook)
  let isOver = false
  const checking = checkRows(stack, () => isOver)
  const calmMs = Date.now()
  await calm(stack, webhook, others.published)
  const startedMs = Date.now()
  const args = ['webhook', 'recover', '--id', webhook.id, '--since', since, '--wait']
  const waiting = runCli(args, stack.environment).finally(() => (isOver = true))
  const disturbing = disturb?.(() => Promise.resolve(!isOver)) ?? Promise.resolve()
  const works = [waiting, disturbing, checking] as const
  const [recovery] = await Promise.all(works).finally(() => {
    // Also when one of them failed: none may go on after the test.
    isOver = true
    return Promise.allSettled(works)
  })
  const endedMs = Date.now()
  await Promise.all([own.stop(), others.stop()])
  await until(
    () => webhook.get(),
    ({ health }: Json) => health.waiting === 0,
    { withinMs: 60_000, what: 'the end of all deliveries' },
  )
  const successes = countSuccesses(receiver.requestsTo(webhook.path))
  const latencies = (fromMs: number, toMs: number) =>
    arrivalsOf(receiver.requestsTo(neighbour.path), others.published, fromMs, toMs)
  return {
    failed: failed.length,
    recovered: failed.filter((eventId) => successes.has(eventId)).length,
    seconds: (endedMs - startedMs) / 1000,
    recovery,
    before: latencies(calmMs, startedMs),
    during: latencies(startedMs, endedMs),
    lost: [...own.published.keys()].filter((id) => !successes.has(id)),
    twice: [...successes].filter(([, count]) => count > 1).map(([id]) => id),
  }
}

/** Both endpoints answer, and everything is as it will be during the recovery: a command starts, and rows are checked. */
async function calm(
  { environment }: Stack,
  { id }: TestWebhook,
  published: ReadonlyMap<string, number>,
): Promise<void> {
  const knownBefore = published.size
  await runCli(['webhook', 'show', '--id', id], environment)
  await until(
    () => published.size,
    (known) => known >= knownBefore + CALM_EVENTS,
    { what: 'events of the neighbour' },
  )
}

/**
 * Publishes events at a steady rate. `published`: when each accepted one was sent, by its id.
 *
 * `stop` throws the first error of a publish that got no answer.
 */
function startTraffic(tenant: TestTenant, event: string) {
  const published = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  const errors: unknown[] = []
  const publish = async (): Promise<void> => {
    const id = `evt_${randomUUID()}`
    const sentMs = Date.now()
    const { status } = await tenant.request('POST', '/api-v1-events', { id, event, data: {} })
    if (status === 201) published.set(id, sentMs)
  }
  const timer = setInterval(() => {
    const work = publish()
      .catch((error: unknown) => void errors.push(error))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }, 1_000 / EVENTS_PER_SECOND)
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    await Promise.all(underWay)
    if (errors.length > 0) throw errors[0]
  }
  return { published, stop }
}

/** Lets an outage last. What the service has learnt of the endpoint is forgotten, or most events would wait, not fail. */
async function failWithoutBreaker({ db }: Stack, webhook: TestWebhook): Promise<void> {
  await until(
    async () => {
      await forgetHealth(db, webhook.id)
      return webhook.get()
    },
    ({ failed_deliveries: failed }: Json) => failed >= OUTAGE_FAILURES,
    { withinMs: 60_000, what: 'an outage with failed deliveries' },
  )
  await forgetHealth(db, webhook.id)
}

const forgetHealth = (db: Stack['db'], webhookId: string) =>
  db('webhook_health')
    .where({ webhook_id: webhookId })
    .update({ consecutive_failures: 0, probe_at: null, limited_until: null, changed_at: db.fn.now(3) })

/** The events of the deliveries that failed, once the endpoint answers again. */
async function settled(webhook: TestWebhook): Promise<string[]> {
  await until(
    () => webhook.get(),
    ({ health }: Json) => health.state === 'healthy',
    { what: 'the end of the outage' },
  )
  const failed: string[] = []
  for (let page = 1, isLast = false; !isLast; page++) {
    const found = await webhook.deliveries(`?status=failed&limit=100&page=${page}`)
    failed.push(...found.map(({ event_id: eventId }: Json) => eventId as string))
    isLast = found.length < 100
  }
  return failed
}

async function checkRows({ db }: Stack, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await expectSoundRows(db)
    await delay(LOOK_EVERY_MS)
  }
}

const eventOf = ({ headers }: ReceivedRequest): string => String(headers['webhook-id'])

/** How often each event was answered 2xx. */
function countSuccesses(requests: readonly ReceivedRequest[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const request of requests.filter(({ status }) => status === 200)) {
    counts.set(eventOf(request), (counts.get(eventOf(request)) ?? 0) + 1)
  }
  return counts
}

function arrivalsOf(
  requests: readonly ReceivedRequest[],
  published: ReadonlyMap<string, number>,
  fromMs: number,
  toMs: number,
): number[] {
  return requests.flatMap((request) => {
    const sentMs = published.get(eventOf(request))
    return sentMs === undefined || sentMs < fromMs || sentMs >= toMs
      ? []
      : [request.receivedAt.getTime() - sentMs]
  })
}

/** The 99th percentile of times. */
export const p99 = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0
