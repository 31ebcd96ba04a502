import * as crashes from './crashes.ts'
import { expectSoundRows } from './invariants.ts'
import { startHeldEndpoint, useEndpointsOn } from './stack-endpoints.ts'
import { type Json, createTestWebhook, type TestWebhook } from './tenants.ts'
import { useStack } from './use-stack.ts'
import { useWorkerCrew } from './worker-crew.ts'

type Options = {
  readonly environment?: Record<string, string>
  /** Fields of the webhook that each test gets. */
  readonly webhook?: Record<string, unknown>
}

/**
 * A stack without workers, and for each test a company with a webhook; the test has and kills its own workers. The rows must be
 * sound after each test. The tests of a file share the stack, and the worker that survives.
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
    /** A new id for an event. */
    get eventId() {
      return eventId
    },
    /** From now on the webhook has an endpoint that answers when the test says so. */
    hold: async () => {
      const endpoint = await startHeldEndpoint(endpoints)
      await webhook.change({ url: endpoint.url })
      return endpoint
    },
    /** What arrived at the webhook. */
    requests: () => webhook.requests(),
    /** Publishes the event. */
    publish: () => crashes.publish(use.tenant, eventId),
    /** The delivery of the event, once it is there and as wanted. */
    delivery,
    /** Publishes it, and gives that. */
    published: async (isWanted?: (row: Json) => boolean): Promise<Json> => {
      await crashes.publish(use.tenant, eventId)
      return delivery(isWanted)
    },
    /** The commands about a target, once there are so many. */
    outbox: (targetId: string, count: number) => crashes.outboxRows(use.stack, targetId, count),
    /** The workflow of that id, once Temporal has it and it is as wanted. */
    workflow: (id: string, isWanted?: Parameters<typeof crashes.workflowOf>[2]) =>
      crashes.workflowOf(use.stack, id, isWanted),
    /** The only worker that runs: one that an earlier test left with this environment, else a new one. */
    worker,
    /** Kills a worker that has sent the event and waits for the answer. @returns the delivery; its endpoint is well again */
    dieOnTheWire: async (): Promise<Json> => {
      webhook.behave({ hang: true })
      const dying = await worker()
      await crashes.publish(use.tenant, eventId)
      await use.stack.receiver.next(webhook.path)
      await crashes.kill(dying)
      webhook.behave()
      return delivery()
    },
    /** A new worker beside those that run. */
    anotherWorker: (more?: Record<string, string>) => crew.another({ ...environment, ...more }),
    /** For a test that begins without a worker. */
    killWorkers: () => crew.killAll(),
  }
}
