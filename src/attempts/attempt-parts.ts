import type { SystemDeps } from '../deps/deps.ts'
import { readWebhookCa } from '../deps/webhook-ca.ts'
import { Egress } from '../sending/egress.ts'
import { EgressProxy } from '../sending/egress-proxy.ts'
import { createHostResolver } from '../sending/host-resolver.ts'
import { HttpSender } from '../sending/http-sender.ts'
import { Attempts } from './attempt-delivery.ts'
import { AttemptLog } from './attempt-log.ts'
import { AttemptStats, createRecoveryWakes } from './recorded-attempts.ts'
import { EndpointLimits } from './endpoint-limits.ts'
import { Recorder } from './recorder.ts'
import { Slots } from './slots.ts'

/** This process has at most this many test events of one webhook on the wire at once. */
const TESTS_PER_WEBHOOK = 2
const CONNECT_TIMEOUT_MS = 5_000

type Options = {
  /** How many workers are alive now, including this one. */
  readonly liveWorkers: () => number
  /** This worker has at most this many attempts, test events and idle connections at once. */
  readonly room: { readonly attempts: number; readonly tests: number; readonly idleConnections: number }
}

/** Creates and connects the parts with which a worker makes attempts. Nothing runs yet. */
export function createAttemptParts(deps: SystemDeps, { liveWorkers, room }: Options) {
  const { config } = deps
  const nowMs = () => performance.now()
  const attemptLog = new AttemptLog(deps.log)
  const limits = new EndpointLimits(deps, { liveWorkers, nowMs })
  const stats = new AttemptStats(deps)
  const recorder = new Recorder(deps, { attemptLog, limits, stats, recoveries: createRecoveryWakes(deps) })
  const slots = new Slots({
    limit: () => Math.max(1, Math.floor(config.webhookConcurrency / liveWorkers())),
    capacity: room.attempts,
    now: nowMs,
  })
  const testSlots = new Slots({ limit: () => TESTS_PER_WEBHOOK, capacity: room.tests, now: nowMs })
  const resolver = createHostResolver()
  const egress = new Egress()
  const ca = readWebhookCa(config)
  const proxy = config.egressProxy === undefined ? undefined : new EgressProxy(config.egressProxy, ca)
  const sender = new HttpSender({
    resolver,
    egress,
    proxy,
    maximumIdle: room.idleConnections,
    timeoutMs: config.webhookTimeoutMs,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, config.webhookTimeoutMs),
    allowedNetworks: config.webhookAllowedNetworks,
    ca,
  })
  const attempts = new Attempts(deps, { sender, recorder, attemptLog, slots, limits, testSlots })
  return { attempts, attemptLog, limits, stats, recorder, slots, resolver, egress: proxy ?? egress, sender }
}
