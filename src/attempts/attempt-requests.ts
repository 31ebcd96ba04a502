import type { GateRows } from '../db/delivery/gate-rows.ts'
import { renewOwnStart } from '../db/outbox/direct-starts.ts'
import type { Deps, SystemDeps } from '../deps/deps.ts'
import {
  isSuccessful,
  unreachableCause,
  type AttemptOutcome,
  type MadeAttempt,
} from '../domain/delivery/outcome.ts'
import { traceIdOf } from '../deps/traces.ts'
import type { KeyRing } from '../domain/sealing/sealing.ts'
import { signatureHeaders } from '../domain/webhook/signing.ts'
import { openSecret, webhookHeaders } from '../domain/webhook/webhook.ts'
import type { HttpSender, SignedRequest } from '../sending/http-sender.ts'
import { traceRequest } from './attempt-trace.ts'
import { directUntilOf, type AttemptUnderWay } from './attempt-under-way.ts'
import { DelayedAttemptError } from './fault-log.ts'
import type { GateReader, OpenGate } from './gate.ts'

/** The part of the HTTP sender that an attempt uses. */
export type Sender = Pick<HttpSender, 'send'>

/**
 * Creates the function that sends the request of an attempt. The attempt has passed the gate and has its slot. The
 * function connects, and signs with fresh rows when the connection is ready. If a kept connection proves to be dead,
 * the function opens a new connection and signs again. It resolves to undefined when the attempt may no longer be sent.
 *
 * @throws our own faults, for example DelayedAttemptError when our own reads left the endpoint less than half of its time
 */
export function createSendRequest(deps: SystemDeps, sender: Sender, gates: GateReader) {
  const { config, clock, traces } = deps
  return (gate: OpenGate, attempt: AttemptUnderWay): Promise<MadeAttempt | undefined> =>
    traceRequest(traces, gate.rows, attempt, async (traceparent) => {
      const { webhook, tenant } = gate.rows
      let latest = gate
      const nowMs = () => clock().getTime()
      const withinMs = attempt.sendUntilMs - nowMs()
      /** The milliseconds that are left to the endpoint: its time minus the time that our own reads take. */
      let leftMs = Math.min(config.webhookTimeoutMs, withinMs)
      const leastMs = Math.min(config.webhookTimeoutMs, attempt.requestMs) / 2
      const refuseIfLate = () => {
        if (leftMs < leastMs) throw new DelayedAttemptError()
      }
      refuseIfLate()
      const target = { companyId: tenant.companyId, webhookId: webhook.id, url: webhook.url, withinMs }
      const outcome = await sender.send(target, async (within) => {
        const readyAtMs = nowMs()
        const fresh = await within(refresh(deps, gates, latest, attempt))
        leftMs -= nowMs() - readyAtMs
        if (!fresh) return undefined
        refuseIfLate()
        latest = fresh
        return signedRequest(config.secretsKeys, latest.rows, clock(), traceparent)
      })
      return outcome && made(deps, latest, attempt, outcome)
    })
}

/**
 * Returns a gate with fresh rows, or undefined when the attempt may not be sent. A direct attempt with an old claim
 * renews its lease first.
 */
async function refresh(
  { db }: SystemDeps,
  gates: GateReader,
  gate: OpenGate,
  { direct }: AttemptUnderWay,
): Promise<OpenGate | undefined> {
  if (direct && !gates.isFresh(direct.claimedAtMs)) {
    if (!(await renewOwnStart(db, direct.lease, direct.leaseMs))) return undefined
  }
  return gates.refresh(gate)
}

/**
 * Makes the request of an attempt. The body is the event's bytes as they were stored. The headers are the webhook's own
 * headers, `traceparent` where the webhook asks for it, and the signature headers of Standard Webhooks, made with the
 * webhook's current secret.
 *
 * @param now the time that is signed
 * @throws SealError when the key ring cannot read the webhook's secret or headers; Error when the event is gone
 */
function signedRequest(
  keys: KeyRing,
  { tenant: { companyId }, webhook, delivery, body }: GateRows,
  now: Date,
  traceparent: string | null,
): SignedRequest {
  if (!body) throw new Error(`the event of delivery ${delivery.id} is gone`)
  const own = webhookHeaders(keys, companyId, webhook)
  const signature = signatureHeaders({
    secret: openSecret(keys, companyId, webhook.id, webhook.secretSealed),
    id: delivery.eventId,
    timestampSeconds: Math.floor(now.getTime() / 1000),
    body,
  })
  const place = webhook.sendTraceparent ? traceparent : null
  return { body, headers: { ...withTraceparent(own, place), ...signature } }
}

type Headers = Record<string, string>

/** Our `traceparent` replaces a custom header of that name. */
function withTraceparent(headers: Headers, traceparent: string | null): Headers {
  if (traceparent === null) return headers
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'traceparent')
  return { ...Object.fromEntries(others), traceparent }
}

function made(
  { metrics, config }: Deps,
  { rows: { delivery, webhook }, verdict }: OpenGate,
  { startedAt, direct, traceparent }: AttemptUnderWay,
  outcome: AttemptOutcome,
): MadeAttempt {
  observe(metrics, outcome)
  return {
    deliveryId: delivery.id,
    webhookId: webhook.id,
    attemptsAtGate: delivery.attempts,
    retrySeqAtGate: delivery.retrySeq,
    webhookVersionAtGate: webhook.version,
    trigger: verdict.trigger,
    ...(direct && {
      directLease: direct.lease,
      directUntil: directUntilOf({ startedAt }, direct, config.directRetriesWithinMs),
    }),
    startedAt,
    traceId: traceIdOf(traceparent),
    scheduleMs: webhook.retrySchedule?.map((seconds) => seconds * 1000) ?? config.webhookRetryScheduleMs,
    outcome,
  }
}

function observe({ attemptSeconds, attempts }: Deps['metrics'], outcome: AttemptOutcome): void {
  attemptSeconds.observe(outcome.durationMs / 1000)
  attempts.inc({
    outcome: isSuccessful(outcome) ? 'success' : 'failure',
    status_class: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : 'none',
    error_kind: unreachableCause(outcome) ?? 'none',
  })
}
