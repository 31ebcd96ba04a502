import { setTimeout as delay } from 'node:timers/promises'
import { runCli } from './cli.ts'
import { arrivalsOf, countOvertaking, countSuccesses, findRepeated } from './drill-facts.ts'
import { lookAtRows } from './drill-looks.ts'
import { calm, letFail } from './drill-outage.ts'
import { startTraffic, type Traffic } from './drill-traffic.ts'
import { until } from './poll.ts'
import type { Stack } from './stack.ts'
import type { Json, TestTenant } from './tenants.ts'
import { createTestWebhook, type TestWebhook } from './webhooks.ts'

const ENDING_MS = 5_000

type Options = {
  readonly stack: Stack
  readonly tenant: TestTenant
  /** How long the endpoint takes for an answer once it is back. */
  readonly answerMs: number
  /** The outage lasts until so many deliveries have failed. */
  readonly outageFailures?: number
  /** How many events of the neighbour come before the recovery, when everything else is as during it. */
  readonly calmEvents?: number
  /** Whether rows are looked at all the time, the default. What measures times goes without. */
  readonly looksAtRows?: boolean
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
  const isLooking = options.looksAtRows ?? true
  const works = [playing, lookAtRows(stack.db, webhook.id, () => isOver || !isLooking)] as const
  const [{ recovery, calmMs, startedMs, endedMs }, looks] = await allOf(works)
  await Promise.all([own.stop(), others.stop()])
  for (const { get } of [webhook, neighbour]) {
    const isIdle = (shown?: Json) => shown?.health.waiting === 0
    await until(get, isIdle, { withinMs: 60_000, what: 'the end of all deliveries' })
  }
  const successes = countSuccesses(stack.receiver.requestsTo(webhook.path))
  const arrivals = (fromMs: number, toMs: number) =>
    arrivalsOf(stack.receiver.requestsTo(neighbour.path), others.published, { fromMs, toMs })
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
    /** Times from the publish to the arrival at the neighbour, in milliseconds, before and during the recovery. */
    before: arrivals(calmMs, startedMs),
    during: arrivals(startedMs, endedMs),
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

/** Recovers by the command line, after a calm where one is wanted, and lets it be disturbed meanwhile. */
async function recoverUnderTraffic(options: Options, played: Played, since: string) {
  const { stack, calmEvents, disturb } = options
  const { webhook, others } = played
  const calmMs = Date.now()
  if (calmEvents !== undefined) await calm(stack, webhook, others, calmEvents)
  const startedMs = Date.now()
  let endedMs: number | undefined
  const args = ['webhook', 'recover', '--id', webhook.id, '--since', since, '--wait']
  const waiting = runCli(args, stack.environment).finally(() => (endedMs = Date.now()))
  const disturbing = disturb?.(played, () => endedMs === undefined) ?? Promise.resolve()
  const [recovery] = await allOf([waiting, disturbing])
  return { recovery, calmMs, startedMs, endedMs: endedMs ?? Date.now() }
}

/** As Promise.all; once one has failed, the others get a little time to end. A command that waits for a dead worker may not. */
async function allOf<A, B>(works: readonly [Promise<A>, Promise<B>]) {
  return Promise.all(works).finally(() => Promise.race([Promise.allSettled(works), delay(ENDING_MS)]))
}
