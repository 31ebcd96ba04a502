import { Registry } from 'prom-client'
import type { ClosedReason } from '../domain/delivery/delivery.ts'
import { CHANNEL_KINDS } from '../domain/notice/channel.ts'
import { NOTICE_KINDS } from '../domain/notice/notice.ts'
import { RECOVERY_KINDS, STOPPED_REASONS, type StoppedReason } from '../domain/recovery/recovery.ts'
import { SIGN_IN_OUTCOMES } from '../domain/user/sign-in.ts'
import { collectProcessMetrics } from './default-metrics.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import type { SpanFate } from './span-queue.ts'
import { VERSION } from './version.ts'

const HTTP_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const ATTEMPT_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30]

/**
 * The metrics of a process. No label names a webhook, and labels name a company only where the operator wants it,
 * because there may be any number of webhooks and companies.
 */
export type Metrics = ReturnType<typeof createMetrics>

/** A delivery that was closed. `reason`: why it failed; null: it succeeded. */
type ClosedDelivery = { readonly companyId: string; readonly reason: ClosedReason | null }

/**
 * Makes the metrics. The metrics per company stay empty unless METRICS_PER_COMPANY is on, because each company adds series.
 * Each call makes a registry of its own, so that several processes can run in one test without mixing their numbers.
 */
export function createMetrics({ perCompany = false }: { readonly perCompany?: boolean } = {}) {
  const registry = new Registry()
  collectProcessMetrics(registry)
  const instruments = createInstruments(registry)
  const { counter, gauge, histogram } = instruments
  gauge('build_info', 'Always 1. The release of this process.', ['version', 'node']).set(
    { version: VERSION, node: process.version },
    1,
  )
  const spans = counter(
    'trace_spans_total',
    'Spans that were sampled, by their fate: sent, failed when the collector did not take them, dropped when the queue was full.',
    ['fate'],
  )
  const closed = counter(
    'webhook_deliveries_closed_total',
    'Deliveries that this process closed, by outcome and by the reason of those that failed for good.',
    ['outcome', 'reason'],
  )
  const companyClosed = counter(
    'webhook_company_deliveries_closed_total',
    'Deliveries that this process closed, by company and outcome; with METRICS_PER_COMPANY=on only.',
    ['company_id', 'outcome'],
  )
  return {
    registry,
    httpRequestSeconds: histogram(
      'http_request_duration_seconds',
      'Time from the request to its answer.',
      HTTP_BUCKETS_S,
      ['route', 'method', 'status'],
    ),
    connectionsCut: counter(
      'http_connections_cut_total',
      'Connections closed before their time, by the limit they met.',
      ['reason'],
    ),
    unsentAnswerBytes: gauge(
      'http_unsent_answer_bytes',
      'Large answers that are being built or that their clients have not taken yet.',
    ),
    authentications: counter('api_key_auth_total', 'Requests by the result of authentication.', ['result']),
    attempts: counter('webhook_attempts_total', 'Attempts by outcome, class of status and kind of error.', [
      'outcome',
      'status_class',
      'error_kind',
    ]),
    attemptSeconds: histogram(
      'webhook_attempt_duration_seconds',
      'Time of one attempt, from its gate to its last byte.',
      ATTEMPT_BUCKETS_S,
    ),
    deferrals: counter(
      'webhook_attempts_deferred_total',
      'Attempts put off because the endpoint had no free slot or nothing could be recorded.',
      ['reason'],
    ),
    attemptRoom: gauge(
      'webhook_attempt_room',
      'Attempts that this worker makes at once at most: 320, or fewer when it may open few files.',
    ),
    workerFaults: counter(
      'webhook_worker_faults_total',
      'Attempts that failed by our own fault and are made again; they spend nothing.',
      ['reason'],
    ),
    relayCommands: counter('webhook_relay_commands_total', 'Outbox rows handled by the relay.', [
      'kind',
      'result',
    ]),
    temporalSlow: gauge(
      'webhook_temporal_slow',
      '1 while Temporal is slow or away and the relay makes one call at a time, else 0.',
    ),
    directFirstAttempts: gauge(
      'webhook_first_attempts_direct',
      '1 where first attempts are direct, 0 where workflows make them.',
    ),
    failingEndpoints: gauge(
      'webhook_endpoints_failing',
      'Endpoints whose first attempts go one at a time because they fail, by what this worker knows.',
    ),
    deactivationsHeld: gauge(
      'webhook_deactivations_held',
      'Webhooks that are not deactivated, although their endpoints fail for long, because most endpoints fail.',
    ),
    /** One worker, the leader of the reconciler, sets the figures of all open deliveries. Other workers show none. */
    deliveriesOpen: gauge(
      'webhook_deliveries_open',
      'Open deliveries by their age, told by one worker for all.',
      ['age'],
    ),
    deliveriesHeld: gauge(
      'webhook_deliveries_held',
      'Open deliveries that are held back, by the reason, told by one worker for all.',
      ['reason'],
    ),
    companyDeliveriesOpen: gauge(
      'webhook_company_deliveries_open',
      'Open deliveries by company, told by one worker for all; with METRICS_PER_COMPANY=on only.',
      ['company_id'],
    ),
    /** Counts closed deliveries of a company. Call it after the commit. */
    countClosed({ companyId, reason }: ClosedDelivery, deliveries = 1): void {
      const outcome = reason === null ? 'success' : 'failed'
      closed.inc({ outcome, reason: reason ?? 'none' }, deliveries)
      if (perCompany) companyClosed.inc({ company_id: companyId, outcome }, deliveries)
    },
    ...createZeroedMetrics(instruments),
    reconciled: counter(
      'webhook_reconciled_total',
      'Deliveries that nothing would have woken, queued again.',
    ),
    clockOffset: gauge(
      'process_clock_ahead_seconds',
      'How far the clock of this machine is ahead of that of the database, as seen within the last minute.',
    ),
    ringsDropped: counter(
      'webhook_doorbell_dropped_total',
      'Datagrams to the doorbell that were dropped: wrong, old or repeated, or unread because too many were wrong.',
      ['reason'],
    ),
    countSpans: (fate: SpanFate, count: number) => spans.inc({ fate }, count),
    outboxPending: gauge('webhook_outbox_pending', 'Outbox rows waiting.'),
    outboxOldestSeconds: gauge(
      'webhook_outbox_oldest_seconds',
      'Age of the oldest outbox row that may be claimed; first attempts of failing endpoints may not.',
    ),
  }
}

/**
 * The metrics of recoveries, notices and sign-ins. Each series begins at 0, so that an alert on an increase sees the
 * first count.
 */
function createZeroedMetrics({ counter }: Instruments) {
  const recoveredDeliveries = counter(
    'webhook_recovered_deliveries_total',
    'Deliveries that recoveries queued through this worker: opened again, or made of missed events.',
    ['recovers'],
  )
  const ended = counter(
    'webhook_recoveries_ended_total',
    'Recoveries that this process ended, by outcome and by the reason of those that were cancelled.',
    ['outcome', 'reason'],
  )
  const labelsOf = (reason: StoppedReason | null) => ({
    outcome: reason === null ? 'done' : 'cancelled',
    reason: reason ?? 'none',
  })
  const notices = counter('notices_total', 'Notices that this worker told, by kind.', ['kind'])
  const noticeBatches = counter(
    'notice_batches_total',
    'Batches of notices that this worker sent to NOTICE_URL, by result.',
    ['result'],
  )
  const mails = counter('mails_total', 'Mails that this worker tried to send, by result.', ['result'])
  const channelMessages = counter(
    'notice_channel_messages_total',
    'Messages that this worker tried to send to channels for notices, by kind of channel and result.',
    ['kind', 'result'],
  )
  const signIns = counter('console_sign_ins_total', 'Sign-ins to the console, by what came of them.', [
    'outcome',
  ])
  for (const recovers of RECOVERY_KINDS) recoveredDeliveries.inc({ recovers }, 0)
  for (const reason of [null, ...STOPPED_REASONS]) ended.inc(labelsOf(reason), 0)
  for (const kind of NOTICE_KINDS) notices.inc({ kind }, 0)
  for (const result of ['sent', 'failed']) {
    noticeBatches.inc({ result }, 0)
    mails.inc({ result }, 0)
    for (const kind of CHANNEL_KINDS) channelMessages.inc({ kind, result }, 0)
  }
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0)
  return {
    recoveredDeliveries,
    /** Counts a recovery that ended. Call it after the commit. @param reason why it was cancelled; null: it is done */
    countRecoveryEnd: (reason: StoppedReason | null): void => ended.inc(labelsOf(reason)),
    notices,
    noticeBatches,
    mails,
    channelMessages,
    signIns,
  }
}
