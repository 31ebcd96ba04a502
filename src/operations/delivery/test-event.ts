import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { insertDeliveries } from '../../db/delivery/new-deliveries.ts'
import { findDelivery, lockDelivery, updateDelivery } from '../../db/delivery/deliveries.ts'
import { insertEvents } from '../../db/event/events.ts'
import { addToCounters, transition } from '../../db/webhook/counters.ts'
import { findWebhook } from '../../db/webhook/webhooks.ts'
import { countLiveWorkers } from '../../db/workers.ts'
import type { Deps } from '../../deps/deps.ts'
import { isOpen, loggedIds, type FoundDelivery } from '../../domain/delivery/delivery.ts'
import { close } from '../../domain/delivery/transitions.ts'
import { orNotFound, retryLater } from '../../domain/errors.ts'
import type { Actor } from '../../domain/actor.ts'
import { exampleContent, type EventType } from '../../domain/event/catalog.ts'
import {
  createTestEvent,
  type EventContent,
  type EventContext,
  publisherOf,
} from '../../domain/event/event.ts'
import { newId, newTestEventId } from '../../domain/ids.ts'
import type { Tenant } from '../../domain/tenant.ts'
import {
  attemptTimes,
  TASK_QUEUE,
  testLimitMs,
  testWorkflowId,
  WORKFLOW_TYPES,
  type SendTestInput,
} from '../../workflows/contract.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'

/** The event that a test event imitates: the catalog's example of the type, or the caller's own data and context. */
export type WantedTest = EventContext & { readonly event: EventType; readonly data?: object }

type TestOptions = {
  /** Without it, the test event of the specification is sent. */
  readonly wanted?: WantedTest | undefined
  readonly traceparent?: string | null | undefined
}

/** Limits how many test events wait for their answers at once in this process. Further ones are refused without a wait. */
const limitOf = (holder: string, running: number): ConcurrencyLimit =>
  new ConcurrencyLimit({
    running,
    waiting: 0,
    waitMs: 5_000,
    message: `${running} test events of this ${holder} already wait for an answer: send the next one when one of them has ended.`,
  })

/** How many test events wait for their answers at once. A person sends one, and perhaps a second. */
export const TESTS_AT_ONCE = { ofWebhook: 2, ofCompany: 4 }

const ofWebhook = limitOf('webhook', TESTS_AT_ONCE.ofWebhook)
const ofCompany = limitOf('company', TESTS_AT_ONCE.ofCompany)

/** How long Temporal may take to accept the test event. After that the caller gets SERVICE_UNAVAILABLE. */
const START_DEADLINE_MS = 2_000

/**
 * Sends a test event and waits for its answer. A test event has a delivery like any other event, but with one attempt. An
 * inactive webhook gets it too.
 *
 * @param actor who sends it, and so publishes the event
 * @returns the delivery after its attempt
 * @throws ApiError NOT_FOUND, also when the webhook is deleted during the test; SERVICE_UNAVAILABLE when no worker lives or
 *   Temporal does not answer; RATE_LIMITED when too many test events of the webhook or the company wait for their answer
 */
export const sendTestEvent = (
  deps: Deps,
  tenant: Tenant,
  actor: Actor,
  webhookId: string,
  options: TestOptions,
): Promise<FoundDelivery> => {
  const send = () => sendTestNow(deps, tenant, webhookId, { actor, ...options })
  return ofWebhook.run(webhookId, () => ofCompany.run(tenant.companyId, send))
}

type TestEvent = TestOptions & { readonly actor: Actor }

const contentOf = ({ event, data, ...context }: WantedTest): EventContent =>
  data ? { type: event, data, ...context } : exampleContent(event)

async function sendTestNow(deps: Deps, tenant: Tenant, webhookId: string, test: TestEvent) {
  if ((await countLiveWorkers(deps.db)) === 0) throw unavailable('No worker is running.')
  const deliveryId = await insertTestDelivery(deps, tenant, webhookId, test)
  try {
    await runTest(deps, deliveryId)
  } catch (error) {
    await closeUnanswered(deps, tenant, webhookId, deliveryId)
    orNotFound(await findWebhook(deps.db, tenant, webhookId), 'Webhook')
    throw unavailable('The test event could not be sent.', error)
  }
  const delivery = await findDelivery(deps.db, tenant, webhookId, deliveryId)
  return orNotFound((await findWebhook(deps.db, tenant, webhookId)) && delivery, 'Webhook')
}

const unavailable = (message: string, cause?: unknown) =>
  retryLater('SERVICE_UNAVAILABLE', message, 5_000, cause)

async function insertTestDelivery(
  { db, clock, config }: Deps,
  tenant: Tenant,
  webhookId: string,
  { actor, wanted, traceparent = null }: TestEvent,
): Promise<string> {
  return inTransaction(db, async (trx) => {
    orNotFound(await findWebhook(trx, tenant, webhookId), 'Webhook')
    const now = clock()
    const id = newId('delivery')
    const publisher = publisherOf(actor, 'test')
    const content = wanted && contentOf(wanted)
    const event = createTestEvent({ id: newTestEventId(), webhookId, now, publisher, content })
    await insertEvents(trx, tenant, [{ ...event, traceparent }])
    // No outbox row will wake the delivery. The reconciler does not queue it for `guardedMs` either, because the
    // workflow may run until then.
    const times = { maxAttempts: 1, createdAt: now, guardedMs: testLimitMs(config) }
    await insertDeliveries(trx, tenant, [
      { id, webhookId, eventId: event.id, eventType: event.type, ...times, isInTemporal: true },
    ])
    await addToCounters(trx, [{ webhookId, changes: { pending: 1 } }])
    return id
  })
}

async function runTest({ config, temporal }: Deps, deliveryId: string): Promise<void> {
  const input: SendTestInput = { deliveryId, ...attemptTimes(config) }
  const handle = await temporal.withDeadline(Date.now() + START_DEADLINE_MS, () =>
    temporal.workflow.start(WORKFLOW_TYPES.sendTest, {
      taskQueue: TASK_QUEUE,
      workflowId: testWorkflowId(deliveryId),
      // A text and not the SDK's constant, so that other commands of the command line need not load the SDK.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowExecutionTimeout: testLimitMs(config),
      args: [input],
      staticSummary: 'send a test event',
    }),
  )
  await temporal.withDeadline(Date.now() + testLimitMs(config), () => handle.result())
}

async function closeUnanswered(
  { db, log, metrics }: Deps,
  tenant: Tenant,
  webhookId: string,
  deliveryId: string,
): Promise<void> {
  try {
    const closed = await inTransaction(db, async (trx) => {
      const delivery = await lockDelivery(trx, tenant, webhookId, deliveryId)
      if (!delivery || !isOpen(delivery)) return undefined
      const after = close(delivery, 'test_unanswered')
      await updateDelivery(trx, tenant, after, await databaseNow(trx))
      await addToCounters(trx, [{ webhookId, changes: transition(delivery.status, after.status) }])
      return after
    })
    if (!closed) return
    const { attempts, maxAttempts, closedReason: reason } = closed
    metrics.countClosed({ companyId: tenant.companyId, reason })
    // The same line that a worker writes for a failed delivery, because here the api closes the delivery.
    const facts = { attempts, max_attempts: maxAttempts, reason }
    log.info({ ...loggedIds(closed, tenant.companyId), ...facts }, 'delivery failed')
  } catch (error) {
    const facts = { err: error, delivery_id: deliveryId }
    log.warn(facts, 'a test delivery stays open until the reconciler finds it')
  }
}
