import type { GateRows } from '../db/delivery/gate-rows.ts'
import type { Deps } from '../deps/deps.ts'
import { loggedIds, type ClosedReason, type Delivery } from '../domain/delivery/delivery.ts'
import { isSuccessful, unreachableCause } from '../domain/delivery/outcome.ts'
import type { RecordedAttempt } from '../domain/delivery/transitions.ts'
import { isPaused } from '../domain/webhook/health.ts'
import type { HealthChange } from './endpoint-signs.ts'
import { LineLimit, type WebhookIds } from './line-limit.ts'

/** At most this many lines of each kind are written about one webhook within a second. */
const LINES_PER_SECOND = 10

/**
 * Writes a line for each failed attempt, each delivery that ends as failed and each webhook that is deactivated. A line
 * has only ids, numbers, codes and times. The level is info, because the operator need not react to an endpoint's
 * failure. Successes have the level debug.
 */
export class AttemptLog {
  readonly #log: Deps['log']
  readonly #attempts: LineLimit
  readonly #endings: LineLimit

  constructor(log: Deps['log']) {
    this.#log = log
    this.#attempts = this.#limit('failed attempts left out of the log')
    this.#endings = this.#limit('failed deliveries left out of the log')
  }

  /** Logs an attempt. Call it after the commit: a transaction may be rolled back and run again. */
  recorded(attempt: RecordedAttempt): void {
    const { made, decision, companyId, hasDeactivated } = attempt
    const { delivery } = decision
    const webhook = { webhookId: delivery.webhookId, companyId }
    if (isSuccessful(made.outcome)) {
      // Most attempts succeed, and operators seldom need these lines.
      if (this.#log.isLevelEnabled('debug')) this.#log.debug(describe(attempt), 'attempt succeeded')
    } else if (this.#attempts.admit(webhook)) {
      this.#log.info(describe(attempt), 'attempt failed')
    }
    if (delivery.status === 'failed') this.#ended(delivery, webhook, delivery.closedReason, made.traceId)
    if (hasDeactivated) {
      const ids = { webhook_id: delivery.webhookId, company_id: companyId, delivery_id: delivery.id }
      this.#log.info({ ...ids, reason: 'gone' }, 'webhook deactivated')
    }
  }

  /** Logs a delivery that was closed without another attempt. Call it after the commit. */
  closed({ delivery, tenant }: GateRows, reason: ClosedReason): void {
    this.#ended(delivery, { webhookId: delivery.webhookId, companyId: tenant.companyId }, reason)
  }

  /**
   * Logs that an endpoint starts to fail, asks for a pause, or answers again. Call it after the commit.
   *
   * @param now the time of the change, by the database's clock
   */
  endpointChanged(webhookId: string, { before, after }: HealthChange, now: Date): void {
    const ids = { webhook_id: webhookId }
    if (before.probeAt === null && after.probeAt !== null) {
      const facts = { consecutive_failures: after.consecutiveFailures, failing_since: after.failingSince }
      this.#log.info({ ...ids, ...facts }, 'endpoint fails: first attempts go one at a time')
    }
    if (before.probeAt !== null && after.probeAt === null) {
      this.#log.info({ ...ids, failing_since: before.failingSince }, 'endpoint answers again')
    }
    if (!isPaused(before, now) && isPaused(after, now)) {
      const facts = { paused_until: after.pausedUntil }
      this.#log.info({ ...ids, ...facts }, 'endpoint asked for a pause: first attempts wait')
    }
  }

  /** Logs the lines that were left out and are not reported yet. */
  stop(): void {
    this.#attempts.stop()
    this.#endings.stop()
  }

  #ended(delivery: Delivery, webhook: WebhookIds, reason: ClosedReason | null, traceId?: string): void {
    if (!this.#endings.admit(webhook)) return
    const { attempts, maxAttempts } = delivery
    const facts = { attempts, max_attempts: maxAttempts, reason, trace_id: traceId }
    this.#log.info({ ...loggedIds(delivery, webhook.companyId), ...facts }, 'delivery failed')
  }

  #limit(message: string): LineLimit {
    return new LineLimit({
      perSecond: LINES_PER_SECOND,
      onLeftOut: (webhook, lines) => {
        const ids = webhook && { webhook_id: webhook.webhookId, company_id: webhook.companyId }
        this.#log.info({ ...ids, left_out: lines }, message)
      },
    })
  }
}

/** `next_attempt_at` is null when no attempt is scheduled, and always after 410 Gone: the webhook is inactive then. */
function describe({ made, decision: { attempt, delivery, isGone }, companyId }: RecordedAttempt) {
  return {
    ...loggedIds(delivery, companyId),
    attempt: attempt.number,
    max_attempts: delivery.maxAttempts,
    trigger: attempt.trigger,
    status: attempt.responseCode,
    error: unreachableCause(made.outcome) ?? attempt.error,
    duration_ms: attempt.durationMs,
    next_attempt_at: isGone ? null : (delivery.nextRetryAt?.toISOString() ?? null),
    trace_id: made.traceId,
  }
}
