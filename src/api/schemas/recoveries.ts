import Joi from 'joi'
import {
  COUNTED_AT_MOST,
  RECOVERIES_AT_ONCE,
  RECOVERY_KINDS,
  RECOVERY_STATES,
  type RecoveryKind,
} from '../../domain/recovery/recovery.ts'
import { date, oneOf } from './common.ts'
import type { Examples } from '../routing/route.ts'
import { count, countOrNull, idOf, objectOf, time, timeOrNull, word, wordOrNull } from './answer-fields.ts'

type RecoveryBody = {
  readonly since: Date
  readonly until?: Date
  readonly status?: RecoveryKind
  readonly force?: boolean
}

/** The body of POST …/recover. */
export const recoverBody = Joi.object<RecoveryBody>({
  since: date().required(),
  until: date(),
  status: oneOf(RECOVERY_KINDS).description(
    'failed, which is the default: deliveries that failed for good. missed: events that made no delivery because the webhook was inactive, of types that it subscribed to then and now.',
  ),
  force: Joi.boolean().description(
    'Begins it also while the endpoint fails: without it that is a 409. It then waits for the next probe, and stops after 3 that failed.',
  ),
}).id('RecoveryInput')

/** Example bodies that begin a recovery, for the OpenAPI document. */
export const RECOVERY_EXAMPLES: Examples = {
  'Everything since a time': { since: '2026-01-15T00:00:00Z' },
  'What failed in a window': {
    since: '2026-01-15T00:00:00Z',
    until: '2026-01-15T06:00:00Z',
    status: 'failed',
  },
  'Although the endpoint fails': { since: '2026-01-15T00:00:00Z', force: true },
  'Events while it was inactive': { since: '2026-01-15T00:00:00Z', status: 'missed' },
}

export const recoverySchema = objectOf({
  id: idOf('recovery'),
  webhook_id: word,
  recovers: Joi.valid(...RECOVERY_KINDS).description('What it recovers: `status` of the request.'),
  status: Joi.valid(...RECOVERY_STATES).description(
    `queued while ${RECOVERIES_AT_ONCE} others of the company run, the oldest is next; or while the webhook is inactive. done once everything was queued and had an attempt; cancelled if it ended before.`,
  ),
  stopped_reason: wordOrNull.description(
    'Why it was cancelled: requested, webhook_deleted, or endpoint_failing after 20 failures in a row or 3 failed probes; null otherwise.',
  ),
  waits_for: wordOrNull.description(
    'What it waits for: its turn; company_suspended and webhook_inactive: the resumption, the activation; endpoint_failing: the next probe of the endpoint; attempts: those that it has queued. null: for nothing.',
  ),
  total: countOrNull.description(`How many there were; beyond ${COUNTED_AT_MOST} null until it is done.`),
  queued: count.description('How many were queued so far.'),
  since: time.description('What was created at this time or later. UTC.'),
  until: time.description('What was created before this time. UTC.'),
  created_at: time,
  ended_at: timeOrNull,
}).id('Recovery')
