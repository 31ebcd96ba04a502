import { expect } from 'chai'
import { runCli } from './cli.ts'
import { forgetFailures } from './due-deliveries.ts'
import { EVENTS_PER_SECOND, type Traffic } from './drill-traffic.ts'
import { until } from './poll.ts'
import type { Stack } from './stack.ts'
import type { Json, TestTenant } from './tenants.ts'
import type { TestWebhook } from './webhooks.ts'

/** How many deliveries fail unless a drill wants more. */
const OUTAGE_FAILURES = 120
/** The outage is over once so many new events were answered. */
const ANSWERED = 20
/** From then on: on a busy machine an attempt may run out of its time, and must not end a delivery. */
const MAX_RETRIES = 5

type Outage = {
  readonly stack: Stack
  readonly tenant: TestTenant
  /** How long the endpoint takes for an answer once it is back. */
  readonly answerMs: number
  /** The outage lasts until so many deliveries have failed. */
  readonly outageFailures?: number
}

/**
 * Lets the endpoint be dead for a while. What the service has learnt of it is forgotten all the time, or most events would
 * wait and not fail.
 *
 * @returns the events that have failed, once the endpoint answers again
 */
export async function letFail(outage: Outage, webhook: TestWebhook): Promise<string[]> {
  const { stack, tenant, answerMs, outageFailures = OUTAGE_FAILURES } = outage
  const { db, receiver } = stack
  receiver.behave(webhook.path, { status: 500 })
  await until(
    async () => {
      await forgetFailures(stack, webhook.id)
      return webhook.get()
    },
    ({ failed_deliveries: failed }: Json) => failed >= outageFailures,
    { withinMs: waitFor(outageFailures), what: 'an outage with failed deliveries' },
  )
  await forgetFailures(stack, webhook.id)
  receiver.behave(webhook.path, { delayMs: answerMs })
  const path = `/api-v1-webhooks/${webhook.id}`
  expect((await tenant.request('PATCH', path, { max_retries: MAX_RETRIES })).status).to.equal(200)
  await until(
    () => webhook.get(),
    ({ health, successful_deliveries: answered }: Json) => health.state === 'healthy' && answered >= ANSWERED,
    { withinMs: 30_000, what: 'the end of the outage' },
  )
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
