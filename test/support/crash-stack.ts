import { randomUUID } from 'node:crypto'
import type { ReceivedRequest } from '../../scripts/receiver/receiver.mjs'
import { kill, QUICK_LEASES, startProxiedWorker } from './crashes.js'
import type { RunningProcess } from './processes.js'
import type { TcpProxy } from './tcp-proxy.js'
import { useStack, type StackInUse } from './use-stack.js'
import { createTestWebhook, type TestWebhook } from './webhooks.js'

/** What a test about crashing workers uses. The tests of a file share the stack and nothing else. */
export type CrashStack = StackInUse & {
  readonly webhook: TestWebhook
  /** A new id for an event. */
  readonly eventId: string
  /** What arrived at the webhook. */
  requests(): readonly ReceivedRequest[]
  /** A worker, which is killed after the test if it still runs. */
  startWorker(environment?: Record<string, string>): Promise<RunningProcess>
  /** The same, but it reaches Temporal through a proxy that the test controls. */
  startProxiedWorker(
    environment?: Record<string, string>,
  ): Promise<{ worker: RunningProcess; temporal: TcpProxy }>
  /** Closes the proxy after the test. */
  closeLater(proxy: TcpProxy): void
}

type Options = {
  readonly environment?: Record<string, string>
  /** The stack is the one that the files of a suite share; then only the workers get the environment. */
  readonly isShared?: boolean
  /** Fields of the webhook that each test gets. */
  readonly webhook?: Record<string, unknown>
}

/** A stack without workers, and for each test a company with a webhook; the test starts and kills its own workers. */
export function useCrashStack(options: Options = {}): CrashStack {
  const { environment = {}, isShared = false, webhook: fields = {} } = options
  const ownStack = { workers: 0, environment: { ...QUICK_LEASES, ...environment }, mayLogErrors: true }
  const use = useStack(isShared ? 'crashing' : ownStack)
  const workers: RunningProcess[] = []
  const proxies: TcpProxy[] = []
  let webhook: TestWebhook
  let eventId: string
  beforeEach(async () => {
    webhook = await createTestWebhook(use.stack, use.tenant, fields)
    eventId = `evt_${randomUUID()}`
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map(kill))
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()))
  })
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
    async startWorker(more) {
      const worker = await use.stack.startWorker({ ...environment, ...more })
      workers.push(worker)
      return worker
    },
    async startProxiedWorker(more) {
      const started = await startProxiedWorker(use.stack, { ...environment, ...more })
      workers.push(started.worker)
      proxies.push(started.temporal)
      return started
    },
    closeLater: (proxy) => void proxies.push(proxy),
  }
}
