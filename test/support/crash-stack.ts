import * as crashes from './crashes.ts'
import { expectSoundRows } from './invariants.ts'
import { startHeldEndpoint, useEndpointsOn } from './stack-endpoints.ts'
import { type Json, createTestWebhook, type TestWebhook } from './tenants.ts'
import { useStack } from './use-stack.ts'
import { useWorkerCrew } from './worker-crew.ts'

type Options = {
  readonly environment?: Record<string, string>
  /** Fields of each test's webhook. */
  readonly webhook?: Record<string, unknown>
}

/**
 * Provides a stack without workers, and for each test a company with a webhook. Each test starts and kills its own
 * workers. The rows must be consistent after each test. The tests of a file share the stack and a worker that survives.
 */
export function useCrashStack(options: Options = {}) {
  const { environment = {}, webhook: fields = {} } = options
  const crew = useWorkerCrew(() => use.stack)
  const use = useStack({
    workers: 0,
    environment: { ...crashes.QUICK_LEASES, ...environment },
    mayLogErrors: true,
  })
  const endpoints = useEndpointsOn(use)
  let webhook: TestWebhook
  let eventId: string
  beforeEach(async () => {
    webhook = await createTestWebhook(use.stack, use.tenant, fields)
    eventId = crashes.newEventId()
  })
  afterEach(() => expectSoundRows(use.stack.db))
  const delivery = (isWanted?: (row: Json) => boolean): Promise<Json> =>
    isWanted ? crashes.deliveryWith(use.stack, eventId, isWanted) : crashes.deliveryOf(use.stack, eventId)
  const worker = (more?: Record<string, string>) => crew.worker({ ...environment, ...more })
  return {
    get stack() {
      return use.stack
    },
    get tenant() {
      return use.tenant
    },
    get webhook() {
      return webhook
    },
    /** The test's event id. */
    get eventId() {
      return eventId
    },
    /** Gives the webhook an endpoint that answers when the test says so. */
    hold: async () => {
      const endpoint = await startHeldEndpoint(endpoints)
      await webhook.change({ url: endpoint.url })
      return endpoint
    },
    /** The requests that arrived at the webhook. */
    requests: () => webhook.requests(),
    /** Publishes the event. */
    publish: () => crashes.publish(use.tenant, eventId),
    /** Returns the event's delivery once its row exists and is as wanted. */
    delivery,
    /** Publishes the event and returns its delivery, as above. */
    published: async (isWanted?: (row: Json) => boolean): Promise<Json> => {
      await crashes.publish(use.tenant, eventId)
      return delivery(isWanted)
    },
    /** Returns the commands about a target once there are `count` of them. */
    outbox: (targetId: string, count: number) => crashes.outboxRows(use.stack, targetId, count),
    /** Returns the workflow with that id once Temporal has it and it is as wanted. */
    workflow: (id: string, isWanted?: Parameters<typeof crashes.workflowOf>[2]) =>
      crashes.workflowOf(use.stack, id, isWanted),
    /** Returns the only running worker: one that an earlier test left with this environment, or else a new one. */
    worker,
    /** Kills a worker that waits for the answer to the event. @returns the delivery; its endpoint answers again */
    dieOnTheWire: async (): Promise<Json> => {
      webhook.behave({ hang: true })
      const dying = await worker()
      await crashes.publish(use.tenant, eventId)
      await use.stack.receiver.next(webhook.path)
      await crashes.kill(dying)
      webhook.behave()
      return delivery()
    },
    /** Starts a new worker in addition to the running ones. */
    anotherWorker: (more?: Record<string, string>) => crew.another({ ...environment, ...more }),
    /** Kills all workers, for a test that begins without a worker. */
    killWorkers: () => crew.killAll(),
  }
}
