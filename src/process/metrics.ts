import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createConsoleMetrics } from './console-metrics.ts'
import { collectProcessMetrics } from './default-metrics.ts'
import { createDeliveryMetrics } from './delivery-metrics.ts'
import { createNoticeMetrics } from './notice-metrics.ts'
import { createRecoveryMetrics } from './recovery-metrics.ts'

const HTTP_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const ATTEMPT_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30]

/**
 * The metrics of a process. Labels never carry a webhook, and a company only where the operator wants it: their number
 * has no bound.
 */
export type Metrics = ReturnType<typeof createMetrics>

/** A registry of its own, so that several processes' parts can run in one test without sharing numbers. */
export function createMetrics({ perCompany = false }: { readonly perCompany?: boolean } = {}) {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const registers = [registry]
  return {
    registry,
    httpRequestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request to its answer.',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: HTTP_BUCKETS_S,
      registers,
    }),
    connectionsCut: new Counter({
      name: 'http_connections_cut_total',
      help: 'Connections closed before their time, by the limit they met.',
      labelNames: ['reason'] as const,
      registers,
    }),
    unsentAnswerBytes: new Gauge({
      name: 'http_unsent_answer_bytes',
      help: 'Large answers that are being built or that their clients have not taken yet.',
      registers,
    }),
    authentications: new Counter({
      name: 'api_key_auth_total',
      help: 'Requests by the result of authentication.',
      labelNames: ['result'] as const,
      registers,
    }),
    attempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts by outcome, class of status and kind of error.',
      labelNames: ['outcome', 'status_class', 'error_kind'] as const,
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'Time of one attempt, from its gate to its last byte.',
      buckets: ATTEMPT_BUCKETS_S,
      registers,
    }),
    deferrals: new Counter({
      name: 'webhook_attempts_deferred_total',
      help: 'Attempts put off because the endpoint had no free slot or nothing could be recorded.',
      labelNames: ['reason'] as const,
      registers,
    }),
    attemptRoom: new Gauge({
      name: 'webhook_attempt_room',
      help: 'Attempts that this worker makes at once at most: 320, or fewer when it may open few files.',
      registers,
    }),
    workerFaults: new Counter({
      name: 'webhook_worker_faults_total',
      help: 'Attempts that failed by our own fault and are made again; they spend nothing.',
      labelNames: ['reason'] as const,
      registers,
    }),
    relayCommands: new Counter({
      name: 'webhook_relay_commands_total',
      help: 'Outbox rows handled by the relay.',
      labelNames: ['kind', 'result'] as const,
      registers,
    }),
    temporalSlow: new Gauge({
      name: 'webhook_temporal_slow',
      help: '1 while Temporal is slow or away and the relay makes one call at a time, else 0.',
      registers,
    }),
    directFirstAttempts: new Gauge({
      name: 'webhook_first_attempts_direct',
      help: '1 where first attempts are direct, 0 where workflows make them.',
      registers,
    }),
    failingEndpoints: new Gauge({
      name: 'webhook_endpoints_failing',
      help: 'Endpoints whose first attempts go one at a time because they fail, by what this worker knows.',
      registers,
    }),
    deactivationsHeld: new Gauge({
      name: 'webhook_deactivations_held',
      help: 'Webhooks that are not deactivated, although their endpoints fail for long, because most endpoints fail.',
      registers,
    }),
    ...createDeliveryMetrics(registers, { perCompany }),
    ...createRecoveryMetrics(registers),
    ...createNoticeMetrics(registers),
    ...createConsoleMetrics(registers),
    reconciled: new Counter({
      name: 'webhook_reconciled_total',
      help: 'Deliveries that nothing would have woken, queued again.',
      registers,
    }),
    clockOffset: new Gauge({
      name: 'process_clock_ahead_seconds',
      help: 'How far the clock of this machine is ahead of that of the database, as seen within the last minute.',
      registers,
    }),
    ringsDropped: new Counter({
      name: 'webhook_doorbell_dropped_total',
      help: 'Datagrams to the doorbell that were dropped: wrong, old or repeated, or unread because too many were wrong.',
      labelNames: ['reason'] as const,
      registers,
    }),
    outboxPending: new Gauge({
      name: 'webhook_outbox_pending',
      help: 'Outbox rows waiting.',
      registers,
    }),
    outboxOldestSeconds: new Gauge({
      name: 'webhook_outbox_oldest_seconds',
      help: 'Age of the oldest outbox row that may be claimed; first attempts of failing endpoints may not.',
      registers,
    }),
  }
}
