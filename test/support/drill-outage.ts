import { runCli } from './cli.ts'
import { whileFailuresAreForgotten } from './due-deliveries.ts'
import { EVENTS_PER_SECOND, type Traffic } from './drill-traffic.ts'
import { until } from './poll.ts'
import type { Stack } from './stack.ts'
import type { Json } from './tenants.ts'
import type { TestWebhook } from './webhooks.ts'

/** How many deliveries fail unless a drill wants more. */
const OUTAGE_FAILURES = 120
/** The outage is over once so many new events were answered. */
const ANSWERED = 20
/** From then on: on a busy machine an attempt may run out of its time, and must not end a delivery. */
const MAX_RETRIES = 5

type Outage = {
  readonly stack: Stack
  /** How long the endpoint takes for an answer once it is back. */
  readonly answerMs: number
  /** The outage lasts until so many deliveries have failed. */
  readonly outageFailures?: number
}

/**
 * Lets the endpoint be dead for a while. The service forgets its failures meanwhile, or most events would wait and not fail.
 * An answer of a busy api, such as a 503, counts as not yet.
 *
 * @returns the events that have failed, once the endpoint answers again
 */
export async function letFail(outage: Outage, webhook: TestWebhook): Promise<string[]> {
  const { stack, answerMs, outageFailures = OUTAGE_FAILURES } = outage
  const { db, receiver } = stack
  receiver.behave(webhook.path, { status: 500 })
  await whileFailuresAreForgotten(stack, () =>
    until(webhook.get, (shown?: Json) => shown?.failed_deliveries >= outageFailures, {
      withinMs: waitFor(outageFailures),
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

/** Both endpoints answer, and everything is as it will be during the recovery: a command starts, and rows are checked. */
export async function calm(
  { environment }: Stack,
  { id }: TestWebhook,
  { published }: Traffic,
  events: number,
): Promise<void> {
  const knownBefore = published.size
  await runCli(['webhook', 'show', '--id', id], environment)
  await until(
    () => published.size,
    (known) => known >= knownBefore + events,
    { withinMs: waitFor(events), what: 'events of the neighbour' },
  )
}

/** How long to wait at most until so many events were published, in milliseconds. */
const waitFor = (events: number): number => 30_000 + 5 * (events / EVENTS_PER_SECOND) * 1_000
