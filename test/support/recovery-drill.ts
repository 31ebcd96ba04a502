import { setTimeout as delay } from 'node:timers/promises'
import { runCli } from './cli.ts'
import { countOvertaking, countSuccesses, findRepeated, lookAtRows } from './drill-facts.ts'
import { EVENTS_PER_SECOND, startTraffic, type Traffic } from './drill-traffic.ts'
import { whileFailuresAreForgotten } from './due-deliveries.ts'
import { until } from './poll.ts'
import type { Stack } from './use-stack.ts'
import type { Json, TestTenant } from './tenants.ts'
import { createTestWebhook, type TestWebhook } from './webhooks.ts'

const ENDING_MS = 5_000
/** How many deliveries fail unless a drill wants more. */
const OUTAGE_FAILURES = 120
/** The outage is over once so many new events were answered. */
const ANSWERED = 20
/** From then on: on a busy machine an attempt may run out of its time, and must not end a delivery. */
const MAX_RETRIES = 5

type Options = {
  readonly stack: Stack
  readonly tenant: TestTenant
  /** How long the endpoint takes for an answer once it is back. */
  readonly answerMs: number
  /** The outage lasts until so many deliveries have failed. */
  readonly outageFailures?: number
  /** Runs beside the recovery, which it may disturb. */
  readonly disturb?: (played: Played, isRunning: () => boolean) => Promise<void>
}

/** Who plays: the webhook whose endpoint was dead, and its neighbour of another company. */
export type Played = {
  readonly webhook: TestWebhook
  readonly neighbour: TestWebhook
  readonly own: Traffic
  readonly others: Traffic
}

/**
 * An endpoint is dead for a while under traffic and comes back; one `webhook recover --wait` brings what failed, while the
 * traffic goes on. The check of the rows runs all the time.
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
    /** Deliveries that had failed when the recovery began, and how many of them succeeded. */
    failed: failed.length,
    recovered: failed.filter((id) => successes.has(id)).length,
    seconds: (endedMs - startedMs) / 1000,
    /** The recovery, as `webhook recover --wait` printed it. */
    recovery,
    looks,
    /** Events of the webhook that were accepted, and the webhook as the api shows it once all deliveries have ended. */
    accepted: own.published.size,
    shown: await webhook.get(),
    /** Attempts of the recovery that began while an event of the neighbour waited, for each of these. */
    overtaking: await countOvertaking(stack.db, pair, others.published, times),
    /** Events of the webhook that were accepted and never answered 2xx, and those answered so more often than rows explain. */
    lost: [...own.published.keys()].filter((id) => !successes.has(id)),
    twice: await findRepeated(stack.db, webhook.id, successes),
  }
}

/**
 * Lets the endpoint be dead for a while. The service forgets its failures meanwhile, or most events would wait and not fail.
 * An answer of a busy api, such as a 503, counts as not yet.
 *
 * @returns the events that have failed, once the endpoint answers again
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
  await until(
    () => webhook.change({ max_retries: MAX_RETRIES }),
    ({ status }) => status === 200,
  )
  const isOver = (shown?: Json) =>
    shown?.health.state === 'healthy' && shown.successful_deliveries >= ANSWERED
  await until(webhook.get, isOver, { withinMs: 30_000, what: 'the end of the outage' })
  return db('deliveries').where({ webhook_id: webhook.id, status: 'failed' }).pluck<string[]>('event_id')
}

/** Recovers by the command line, and lets it be disturbed meanwhile. */
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

/** As Promise.all; once one has failed, the others get a little time to end. A command that waits for a dead worker may not. */
async function allOf<A, B>(works: readonly [Promise<A>, Promise<B>]) {
  return Promise.all(works).finally(() => Promise.race([Promise.allSettled(works), delay(ENDING_MS)]))
}
