import { renewOwnStart } from '../db/system/direct-starts.ts'
import type { Deps } from '../process/deps.ts'
import {
  isSuccessful,
  unreachableCause,
  type AttemptOutcome,
  type MadeAttempt,
} from '../domain/delivery/outcome.ts'
import type { HttpSender } from '../sending/http-sender.ts'
import type { AttemptUnderWay } from './attempt-under-way.ts'
import type { GateReader, OpenGate } from './gate.ts'
import { createRequest } from './request.ts'

/** What attempts use to reach endpoints. */
export type Sender = Pick<HttpSender, 'connect'>

/** Sends the requests of attempts whose gate is open and which have their slot. */
export class AttemptRequests {
  readonly #deps: Deps
  readonly #sender: Sender
  readonly #gates: GateReader

  constructor(deps: Deps, sender: Sender, gates: GateReader) {
    this.#deps = deps
    this.#sender = sender
    this.#gates = gates
  }

  /**
   * Connects, and signs with fresh rows when the connection is ready. A kept connection that proves to be dead is
   * replaced, and the request signed again. Gives undefined when the delivery was no longer due by then.
   */
  async send(gate: OpenGate, attempt: AttemptUnderWay): Promise<MadeAttempt | undefined> {
    const { config, clock } = this.#deps
    const { webhook, tenant } = gate.rows
    let latest = gate
    const withinMs = attempt.sendUntilMs - clock().getTime()
    let connection = await this.#sender.connect({
      companyId: tenant.companyId,
      webhookId: webhook.id,
      url: webhook.url,
      withinMs,
    })
    try {
      while (connection.kind === 'ready') {
        const fresh = await connection.within(this.#refresh(latest, attempt))
        if (!fresh) return undefined
        latest = fresh
        const outcome = await connection.post(createRequest(config.secretsKeys, latest.rows, clock()))
        if (outcome.kind !== 'dead') return this.#made(latest, attempt, outcome)
        connection = await connection.reconnect()
      }
      return this.#made(latest, attempt, connection)
    } finally {
      if (connection.kind === 'ready') connection.release()
    }
  }

  /**
   * Gives fresh rows to send from; undefined when nothing may be sent. A direct attempt whose claim is old renews its lease
   * first.
   */
  async #refresh(gate: OpenGate, { direct }: AttemptUnderWay): Promise<OpenGate | undefined> {
    if (direct && !this.#gates.isFresh(direct.claimedAtMs)) {
      if (!(await renewOwnStart(this.#deps.db, direct.lease, direct.leaseMs))) return undefined
    }
    return this.#gates.refresh(gate)
  }

  #made(
    { rows, verdict }: OpenGate,
    { startedAt, direct }: AttemptUnderWay,
    outcome: AttemptOutcome,
  ): MadeAttempt {
    this.#observe(outcome)
    const { delivery, webhook } = rows
    const scheduleMs = webhook.retrySchedule?.map((seconds) => seconds * 1000)
    return {
      deliveryId: delivery.id,
      webhookId: webhook.id,
      attemptsAtGate: delivery.attempts,
      retrySeqAtGate: delivery.retrySeq,
      webhookVersionAtGate: webhook.version,
      trigger: verdict.trigger,
      ...(direct && { directLease: direct.lease }),
      startedAt,
      scheduleMs: scheduleMs ?? this.#deps.config.webhookRetryScheduleMs,
      outcome,
    }
  }

  #observe(outcome: AttemptOutcome): void {
    const { metrics } = this.#deps
    metrics.attemptSeconds.observe(outcome.durationMs / 1000)
    metrics.attempts.inc({
      outcome: isSuccessful(outcome) ? 'success' : 'failure',
      status_class: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : 'none',
      error_kind: unreachableCause(outcome) ?? 'none',
    })
  }
}
