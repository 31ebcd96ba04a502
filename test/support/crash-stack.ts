import type { ReceivedRequest } from '../../scripts/receiver/receiver.mjs'
import {
  deliveryOf,
  deliveryWith,
  newEventId,
  outboxRows,
  publish,
  QUICK_LEASES,
  workflowOf,
} from './crashes.ts'
import { expectSoundRows } from './invariants.ts'
import type { ApiAnswer, Json } from './tenants.ts'
import { useStack, type StackInUse } from './use-stack.ts'
import { createTestWebhook, type TestWebhook } from './webhooks.ts'
import { useWorkerCrew, type CrewWorker } from './worker-crew.ts'

/** What a test about crashing workers uses. The tests of a file share the stack, and the worker that survives. */
export type CrashStack = StackInUse & {
  readonly webhook: TestWebhook
  /** A new id for an event. */
  readonly eventId: string
  /** What arrived at the webhook. */
  requests(): readonly ReceivedRequest[]
  /** Publishes the event. */
  publish(): Promise<ApiAnswer>
  /** The delivery of the event, once it is there and as wanted. */
  delivery(isWanted?: (row: Json) => boolean): Promise<Json>
  /** The commands about a target, once there are so many. */
  outbox(targetId: string, count: number): Promise<Json[]>
  /** The workflow of that id, once Temporal has it and it is as wanted. */
  workflow(id: string, isWanted?: Parameters<typeof workflowOf>[2]): ReturnType<typeof workflowOf>
  /** The only worker that runs: one that an earlier test left with this environment, else a new one. */
  worker(environment?: Record<string, string>): Promise<CrewWorker>
  /** A new worker beside those that run. */
  anotherWorker(environment?: Record<string, string>): Promise<CrewWorker>
  /** For a test that begins without a worker. */
  killWorkers(): Promise<void>
}

type Options = {
  readonly environment?: Record<string, string>
  /** Fields of the webhook that each test gets. */
  readonly webhook?: Record<string, unknown>
}

/**
 * A stack without workers, and for each test a company with a webhook; the test has and kills its own workers. The rows must be
 * sound after each test.
 */
export function useCrashStack(options: Options = {}): CrashStack {
  const { environment = {}, webhook: fields = {} } = options
  const crew = useWorkerCrew(() => use.stack)
  const use = useStack({ workers: 0, environment: { ...QUICK_LEASES, ...environment }, mayLogErrors: true })
  let webhook: TestWebhook
  let eventId: string
  beforeEach(async () => {
    webhook = await createTestWebhook(use.stack, use.tenant, fields)
    eventId = newEventId()
  })
  afterEach(() => expectSoundRows(use.stack.db))
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
    get eventId() {
      return eventId
    },
    requests: () => use.stack.receiver.requestsTo(webhook.path),
    publish: () => publish(use.tenant, eventId),
    delivery: (isWanted) =>
      isWanted ? deliveryWith(use.stack, eventId, isWanted) : deliveryOf(use.stack, eventId),
    outbox: (targetId, count) => outboxRows(use.stack, targetId, count),
    workflow: (id, isWanted) => workflowOf(use.stack, id, isWanted),
    worker: (more) => crew.worker({ ...environment, ...more }),
    anotherWorker: (more) => crew.another({ ...environment, ...more }),
    killWorkers: () => crew.killAll(),
  }
}
